package io.imexagent.dra.recovery;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.ClaimBook;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.Timer;
import io.imexagent.dra.worker.Lane;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the CDI specs of prepared claims right when what they are made of changes, as the device major of IMEX channels
 * and the numbers of RDMA nodes do with a reload of their drivers: a container that starts after it gets nodes that work.
 */
public final class SpecReconciler {

    private static final Duration RETRY = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(SpecReconciler.class);

    private final ClaimBook book;
    private final ClaimRules rules;
    private final Lane lane;
    private final Timer timer;

    private final AtomicReference<Timer.Pending> retry = new AtomicReference<>(() -> {});

    /** Of the lane alone. */
    private Optional<?> written = Optional.empty();

    /**
     * A reconciler that does nothing until it is started.
     *
     * @param rules tell what the specs are made of, and of changes
     */
    public SpecReconciler(ClaimBook book, ClaimRules rules, Lane lane, Timer timer) {
        this.book = book;
        this.rules = rules;
        this.lane = lane;
        this.timer = timer;
    }

    /** Begins to follow the node, once, after the recovery. */
    public void start() {
        rules.onChange(this::follow);
        follow();
    }

    private void follow() {
        var _ = lane.submit(() -> {
                    reconcile(rules.basis());
                    return true;
                })
                .exceptionally(failure -> {
                    LOG.warn("CDI specs not looked at, tried again reason=\"{}\"", failure.getMessage());
                    retry.getAndSet(timer.after(RETRY, this::follow)).cancel();
                    return false;
                });
    }

    private void reconcile(Optional<?> present) throws IOException, InterruptedException {
        if (present.isEmpty() || present.equals(written)) {
            return;
        }
        List<ClaimEntry.Completed> claims = book.locked(session -> {
            List<ClaimEntry.Completed> prepared = session.ledger().completed();
            for (ClaimEntry.Completed claim : prepared) {
                session.run(rules.grant(claim));
            }
            return prepared;
        });
        written = present;
        if (!claims.isEmpty()) {
            LOG.info("CDI specs made sure of basis=\"{}\" claims={}", present.get(), claims.size());
        }
    }
}
