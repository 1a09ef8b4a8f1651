package io.imexagent.controller;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ready Nodes, for controllers that do not lead and for commands. Nodes are listed only on a read, at most every
 * five minutes, and no read waits for the list. Thread-safe.
 */
public final class ReadyNodes extends Loop {

    private static final Duration EVERY = Duration.ofMinutes(5);

    /** The age at which a list is too old to be shown. */
    private static final Duration OLD = EVERY.multipliedBy(2);

    private static final Logger LOG = LoggerFactory.getLogger(ReadyNodes.class);

    private final ClusterState state;
    private final Supplier<FabricObjects> fabric;
    private final Optional<String> rackLabel;
    private final LongSupplier nanoTime;

    // The fields below are guarded by this object's lock.
    private Optional<Long> requestedAt = Optional.empty();
    private Optional<NodeListing> last = Optional.empty();
    private long listedAt;
    private Optional<String> failure = Optional.empty();

    /** Lists with the clients of {@code fabric}; {@code rackLabel} is the label of Nodes that names racks. */
    public ReadyNodes(
            ClusterState state, Supplier<FabricObjects> fabric, Optional<String> rackLabel, LongSupplier nanoTime) {
        super("ready-nodes", new Signal());
        this.state = state;
        this.fabric = fabric;
        this.rackLabel = rackLabel;
        this.nanoTime = nanoTime;
    }

    /** The Nodes as they were a few minutes ago; empty if unknown, or not listed yet. */
    public synchronized Optional<NodeListing> recent() {
        long now = nanoTime.getAsLong();
        if (requestedAt.filter(at -> now - at < EVERY.toNanos()).isEmpty()) {
            requestedAt = Optional.of(now);
            startOrWake();
        }
        return last.filter(_ -> now - listedAt < OLD.toNanos());
    }

    /** Why the last list of Nodes failed; empty if it did not. */
    public synchronized Optional<String> failure() {
        return failure;
    }

    @Override
    protected Duration turn() {
        long startNanos = nanoTime.getAsLong();
        try {
            NodeListing found = NodeListing.of(state, fabric.get(), rackLabel);
            synchronized (this) {
                last = Optional.of(found);
                listedAt = startNanos;
                failure = Optional.empty();
            }
        } catch (ApiException failed) {
            LOG.warn("nodes not listed, whether they are ready is not shown reason=\"{}\"", failed.getMessage());
            synchronized (this) {
                failure = Optional.of(failed.failure().message());
            }
        }
        return Signal.UNTIL_RAISED;
    }

    /** Waits for the next read that is due, which tries again. */
    @Override
    protected Duration afterDefect(Throwable defect, int inARow) {
        LOG.error("nodes not listed for a defect, whether they are ready is not shown", defect);
        synchronized (this) {
            failure = Optional.of("the controller has a defect, see its log: " + defect);
        }
        return Signal.UNTIL_RAISED;
    }
}
