package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the tables of cliques and compares each with this node's holds, to find conflicts. Thread-safe; comparisons
 * happen under the lock of the holds, so that no hold is released meanwhile.
 */
final class TableWatch {

    private static final Logger LOG = LoggerFactory.getLogger(TableWatch.class);

    private final FabricObjects fabric;
    private final Object lock;
    private final Supplier<List<Hold>> held;
    private final LongSupplier nanoTime;
    private final Runnable onTaint;
    private final ChannelConflicts conflicts;

    /** The reads of tables under way, each with its failure if it fails; concurrent callers share one read. */
    private final Map<CliqueId, CompletableFuture<Optional<ApiFailure>>> reads = new HashMap<>();

    private static final class ConflictLog implements ChannelConflicts.ConflictListener {

        @Override
        public void started(DoubleUse use, CliqueId clique) {
            LOG.error(
                    "containers use a channel against the table of their clique, end their pods at once channel={} used={}"
                            + " owner={} reason=\"{}\"",
                    use.user().id(),
                    use.user().domain(),
                    use.owner().domain(),
                    use.text(clique));
        }

        @Override
        public void over(DoubleUse use) {
            LOG.info(
                    "channel conflict is over channel={} used={} owner={}",
                    use.user().id(),
                    use.user().domain(),
                    use.owner().domain());
        }
    }

    /**
     * Creates the watch before the first comparison. {@code held} supplies the holds that have an entry of a table, and
     * is called under the {@code lock}; {@code onTaint} is called when the taints of {@link #conflicts} have changed,
     * and must not block.
     */
    TableWatch(
            FabricObjects fabric,
            String node,
            Object lock,
            Supplier<List<Hold>> held,
            LongSupplier nanoTime,
            Runnable onTaint) {
        this.fabric = fabric;
        this.lock = lock;
        this.held = held;
        this.nanoTime = nanoTime;
        this.onTaint = onTaint;
        this.conflicts = new ChannelConflicts(node, new ConflictLog());
    }

    /** Follows a change of the holds, which may end a conflict. Never blocks. */
    void follow() {
        synchronized (lock) {
            if (conflicts.follow(held.get())) {
                onTaint.run();
            }
        }
    }

    /** Reads the table of a clique, and compares the holds with it. Blocking. */
    Optional<Stored<NvlinkClique>> table(CliqueId of) throws ApiException {
        ChannelConflicts.TableReading reading;
        synchronized (lock) {
            reading = conflicts.begin(of, held.get(), nanoTime.getAsLong());
        }
        try {
            Optional<Stored<NvlinkClique>> found = fabric.cliques().get(of.text());
            synchronized (lock) {
                if (conflicts.compare(
                        reading, found.map(table -> table.content().table()), held.get())) {
                    onTaint.run();
                }
            }
            return found;
        } catch (ApiException e) {
            if (conflicts.failed(reading, nanoTime.getAsLong())) {
                LOG.warn(
                        "cannot compare the channels in use with the clique's table, what was found before stays"
                                + " clique={} error=\"{}\"",
                        of,
                        e.failure().message());
            }
            throw e;
        }
    }

    /**
     * The conflict of giving the ComputeDomain the channel that its prepared claims use; empty if there is none. Reads
     * the table if the table was not compared yet, or if the last comparison found a conflict, which may be over.
     * Blocking.
     */
    Optional<DoubleUse> conflict(ComputeDomainUid domain, CliqueId in) throws ApiException, InterruptedException {
        boolean compared = conflicts.compared(in);
        if (!compared || conflicts.of(domain).isPresent()) {
            try {
                read(in);
            } catch (ApiException e) {
                if (!compared) {
                    throw e;
                }
            }
        }
        return conflicts.of(domain);
    }

    /** Compares the holds with the clique's table if due. Returns the time until the next comparison. Blocking. */
    Duration compare(CliqueId in) throws InterruptedException {
        if (!conflicts.restFor(in, nanoTime.getAsLong()).isPositive()) {
            try {
                read(in);
            } catch (ApiException e) {
                // The read reports the failure.
                return conflicts.restFor(in, nanoTime.getAsLong());
            }
        }
        return conflicts.restFor(in, nanoTime.getAsLong());
    }

    /** Reads the table, in one call with concurrent readers. Blocking. */
    private void read(CliqueId in) throws ApiException, InterruptedException {
        CompletableFuture<Optional<ApiFailure>> read;
        synchronized (reads) {
            read = reads.computeIfAbsent(in, this::pendingRead);
        }
        try {
            Optional<ApiFailure> failed = read.get();
            if (failed.isPresent()) {
                throw new ApiException(failed.get());
            }
        } catch (ExecutionException defect) {
            throw new IllegalStateException(defect);
        }
    }

    /** Starts a read on a thread of its own, so that a caller that gives up does not end the read for the others. */
    private CompletableFuture<Optional<ApiFailure>> pendingRead(CliqueId in) {
        var read = new CompletableFuture<Optional<ApiFailure>>();
        Thread.ofVirtual().name("table").start(() -> {
            Optional<ApiFailure> failed = Optional.empty();
            try {
                var _ = table(in);
            } catch (ApiException e) {
                failed = Optional.of(e.failure());
            } catch (RuntimeException | Error defect) {
                read.completeExceptionally(defect);
            } finally {
                synchronized (reads) {
                    var _ = reads.remove(in);
                }
            }
            read.complete(failed);
        });
        return read;
    }

    /** The conflicts by the last reads. */
    ChannelConflicts conflicts() {
        return conflicts;
    }
}
