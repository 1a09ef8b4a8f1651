package io.imexagent.controller;

import io.imexagent.kubernetes.ApiException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which Nodes are ready, for who looks without leading: it lists them at most every five minutes,
 * however often it is asked, and never while nobody asks. For any thread; nobody waits for the list.
 */
public final class ReadyNodes {

    private static final Duration EVERY = Duration.ofMinutes(5);

    /** Older than this it says nothing about now. */
    private static final Duration OLD = EVERY.multipliedBy(2);

    private static final Logger LOG = LoggerFactory.getLogger(ReadyNodes.class);

    private final NodeLister listing;
    private final LongSupplier nanoTime;
    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile Optional<Long> requestedAt = Optional.empty();
    private volatile Optional<CachedNodes> last = Optional.empty();
    private volatile Optional<String> failure = Optional.empty();

    /** Nodes, whether each is ready, and when they were listed. */
    private record CachedNodes(NodeListing nodes, long at) {}

    /** Lists the Nodes; blocks. */
    @FunctionalInterface
    public interface NodeLister {

        NodeListing list() throws ApiException;
    }

    public ReadyNodes(NodeLister listing, LongSupplier nanoTime) {
        this.listing = listing;
        this.nanoTime = nanoTime;
    }

    /** The Nodes as they were a few minutes ago; empty where that is not known, or not yet. */
    public Optional<NodeListing> recent() {
        long now = nanoTime.getAsLong();
        Optional<CachedNodes> known = last;
        boolean due = requestedAt.filter(at -> now - at < EVERY.toNanos()).isEmpty();
        if (due && underWay.compareAndSet(false, true)) {
            requestedAt = Optional.of(now);
            Thread.ofVirtual().name("ready-nodes").start(this::list);
        }
        return known.filter(listed -> now - listed.at() < OLD.toNanos()).map(CachedNodes::nodes);
    }

    /** Why the Nodes could not be listed the last time; empty where they could. */
    public Optional<String> failure() {
        return failure;
    }

    private void list() {
        long startNanos = nanoTime.getAsLong();
        Optional<CachedNodes> found = last;
        try {
            found = Optional.of(new CachedNodes(listing.list(), startNanos));
            failure = Optional.empty();
        } catch (ApiException failed) {
            LOG.warn("nodes not listed, whether they are ready is not shown reason=\"{}\"", failed.getMessage());
            failure = Optional.of(failed.failure().message());
        } finally {
            // Whoever sees what was found may ask for the next.
            underWay.set(false);
            last = found;
        }
    }
}
