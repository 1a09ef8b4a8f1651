package io.imexagent.agent.prepare;

import io.imexagent.agent.lane.Lane;
import io.imexagent.agent.probe.InventorySource;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.prepare.PreparePlanner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the CDI specs of prepared claims right when the device major of IMEX channels appears or changes, as a reload of
 * the driver does: a container that starts after it gets a node that works.
 */
public final class SpecReconciler {

    private static final Duration RETRY = Duration.ofSeconds(30);
    private static final Logger LOG = LoggerFactory.getLogger(SpecReconciler.class);

    private final ClaimBook book;
    private final InventorySource inventory;
    private final Lane lane;
    private final Timer timer;

    private final AtomicReference<Timer.Pending> retry = new AtomicReference<>(() -> {});

    /** Of the lane alone. */
    private ChannelMajor written = new ChannelMajor.NotRegistered();

    /** A reconciler that does nothing until it is started. */
    public SpecReconciler(ClaimBook book, InventorySource inventory, Lane lane, Timer timer) {
        this.book = book;
        this.inventory = inventory;
        this.lane = lane;
        this.timer = timer;
    }

    /** Begins to follow the inventory, once, after the recovery. */
    public void start() {
        inventory.onChange(changed -> follow());
        follow();
    }

    private void follow() {
        var _ = lane.submit(() -> {
                    reconcile(inventory.current());
                    return true;
                })
                .exceptionally(failure -> {
                    LOG.warn("CDI specs not looked at, tried again reason=\"{}\"", failure.getMessage());
                    retry.getAndSet(timer.after(RETRY, this::follow)).cancel();
                    return false;
                });
    }

    private void reconcile(NodeInventory node) throws IOException, InterruptedException {
        switch (node.channelMajor()) {
            case ChannelMajor.Registered registered -> {
                if (!registered.equals(written)) {
                    List<ClaimEntry.Completed> claims = book.locked(session -> {
                        List<ClaimEntry.Completed> prepared = session.ledger().completed();
                        for (ClaimEntry.Completed claim : prepared) {
                            session.run(PreparePlanner.grant(claim, node));
                        }
                        return prepared;
                    });
                    written = registered;
                    if (!claims.isEmpty()) {
                        LOG.info("CDI specs made sure of major={} claims={}", registered.major(), claims.size());
                    }
                }
            }
            case ChannelMajor.NotRegistered none -> {}
            case ChannelMajor.Unknown unknown -> {}
        }
    }
}
