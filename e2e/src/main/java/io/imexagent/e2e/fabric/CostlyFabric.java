package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.ListedNode;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * The objects of the fabric behind a server of two processors: each call has one of them for as long as it took a real API
 * server 1.36.2, with the CRDs and policies of the manifests, as its processor time before and after calls over 1, 127 and
 * 255 entries says (2026-11-26). A write is stored at the end of its time, and one that is late already costs less.
 */
record CostlyFabric(FabricObjects fabric, Server server) implements FabricObjects {

    private static final Price TABLE = new Price(1.3, 0.09, 6, 0.45, 3, 0.2);
    private static final Price NODE = new Price(1.5, 0.07, 5, 0.33, 3, 0.2);

    /** Milliseconds for a read, a write and a conflict: of the object, and of each entry. */
    private record Price(
            double read, double readEntry, double write, double writeEntry, double conflict, double conflictEntry) {}

    /** What all clients share: the processors, and what is counted. */
    static final class Server {
        private static final int PROCESSORS = 2;
        private static final double NANOS = 1e6;

        private final Semaphore processors = new Semaphore(PROCESSORS, true);
        private final AtomicInteger reads = new AtomicInteger();
        private final AtomicInteger writes = new AtomicInteger();
        private final AtomicInteger conflicts = new AtomicInteger();

        /** Reads of tables. */
        int reads() {
            return reads.get();
        }

        /** Writes of tables that were stored. */
        int writes() {
            return writes.get();
        }

        /** Writes of tables that others overtook. */
        int conflicts() {
            return conflicts.get();
        }

        private static void work(double millis) {
            try {
                Thread.sleep(Duration.ofNanos((long) (millis * NANOS)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public StoredObjects<NvlinkNode> nodes() {
        return new Costly<>(fabric.nodes(), NODE, node -> node.holds().size(), server, Optional.empty());
    }

    @Override
    public StoredObjects<NvlinkClique> cliques() {
        return new Costly<>(
                fabric.cliques(), TABLE, clique -> clique.table().entries().size(), server, Optional.of(server));
    }

    @Override
    public StoredObjects<FabricTest> tests() {
        return fabric.tests();
    }

    @Override
    public void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        fabric.watch(name, listener);
    }

    @Override
    public List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        return fabric.nodesOf(clique);
    }

    @Override
    public Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) throws ApiException {
        return fabric.mark(observed, outage);
    }

    @Override
    public Map<String, ListedNode> kubernetesNodes(Optional<String> label) throws ApiException {
        return fabric.kubernetesNodes(label);
    }

    @Override
    public boolean nodeExists(String name) throws ApiException {
        return fabric.nodeExists(name);
    }

    /** Objects of one kind; {@code counted} where their calls count. */
    private record Costly<T>(
            StoredObjects<T> objects, Price price, ToIntFunction<T> entries, Server server, Optional<Server> counted)
            implements StoredObjects<T> {

        private interface CostlyCall<A> {
            A make() throws ApiException;
        }

        private <A> A call(CostlyCall<A> call) throws ApiException {
            server.processors.acquireUninterruptibly();
            try {
                return call.make();
            } finally {
                server.processors.release();
            }
        }

        private int entries(Optional<Stored<T>> of) {
            return of.map(stored -> entries.applyAsInt(stored.content())).orElse(0);
        }

        @Override
        public Optional<Stored<T>> get(String name) throws ApiException {
            counted.ifPresent(counts -> counts.reads.incrementAndGet());
            return call(() -> {
                Optional<Stored<T>> found = objects.get(name);
                Server.work(price.read() + price.readEntry() * entries(found));
                return found;
            });
        }

        @Override
        public Stored<T> create(String name, T content) throws ApiException {
            return call(() -> {
                Server.work(price.write() + price.writeEntry() * entries.applyAsInt(content));
                return objects.create(name, content);
            });
        }

        @Override
        public Stored<T> replace(Stored<T> observed, T content) throws ApiException {
            return call(() -> {
                Optional<Stored<T>> present = objects.get(observed.name());
                boolean late = present.filter(now -> !now.version().equals(observed.version()))
                        .isPresent();
                int length = entries.applyAsInt(content);
                Server.work(
                        late
                                ? price.conflict() + price.conflictEntry() * length
                                : price.write() + price.writeEntry() * length);
                try {
                    Stored<T> stored = objects.replace(observed, content);
                    counted.ifPresent(counts -> counts.writes.incrementAndGet());
                    return stored;
                } catch (ApiException e) {
                    counted.filter(counts -> e.failure().kind() == ApiFailure.FailureKind.CONFLICT)
                            .ifPresent(counts -> counts.conflicts.incrementAndGet());
                    throw e;
                }
            });
        }

        @Override
        public void delete(Stored<T> observed) throws ApiException {
            objects.delete(observed);
        }
    }
}
