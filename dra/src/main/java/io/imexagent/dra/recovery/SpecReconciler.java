package io.imexagent.dra.recovery;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.worker.Loop;
import io.imexagent.dra.worker.Signal;
import io.imexagent.dra.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the CDI specs of prepared claims right when the numbers of devices change with a reload of their driver. */
public final class SpecReconciler extends Loop {

    private static final Duration RETRY = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(SpecReconciler.class);

    private final PreparedClaims claims;
    private final ClaimRules<?> rules;
    private final Worker worker;

    /** Of the worker alone. */
    private Optional<?> written = Optional.empty();

    /** A reconciler that does nothing until it is started. */
    public SpecReconciler(PreparedClaims claims, ClaimRules<?> rules, Worker worker) {
        super("specs", new Signal());
        this.claims = claims;
        this.rules = rules;
        this.worker = worker;
    }

    /** Begins to follow the node, once, after the recovery. */
    @Override
    public void start() {
        rules.onChange(this::wake);
        super.start();
    }

    @Override
    protected Duration turn() throws InterruptedException {
        try {
            var _ = worker.submit(() -> {
                        reconcile(rules.basis());
                        return true;
                    })
                    .get();
            return Signal.UNTIL_RAISED;
        } catch (ExecutionException failure) {
            LOG.warn("CDI specs not checked, trying again reason=\"{}\"", Worker.reason(failure));
            return RETRY;
        }
    }

    private void reconcile(Optional<?> present) throws IOException, InterruptedException {
        if (present.isEmpty() || present.equals(written)) {
            return;
        }
        List<ClaimEntry.Completed> mended = claims.locked(session -> {
            List<ClaimEntry.Completed> prepared = session.ledger().completed();
            for (ClaimEntry.Completed claim : prepared) {
                session.run(rules.spec(claim));
            }
            return prepared;
        });
        written = present;
        if (!mended.isEmpty()) {
            LOG.info("CDI specs checked basis=\"{}\" claims={}", present.get(), mended.size());
        }
    }
}
