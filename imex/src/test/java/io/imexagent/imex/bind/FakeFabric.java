package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Outage;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricObjects.StoredObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.ListedNode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Nodes and cliques in memory, as the API server keeps them. */
final class FakeFabric implements FabricObjects {

    private final Map<String, Stored<?>> objects = new HashMap<>();
    private final Map<String, Consumer<Optional<Stored<NvlinkNode>>>> watches = new HashMap<>();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private long versions;
    private Optional<ApiFailure> failure = Optional.empty();
    private UnaryOperator<NvlinkNode> pruning = UnaryOperator.identity();
    private Runnable beforeTable = () -> {};
    private CountDownLatch beforeRead = new CountDownLatch(0);
    private int mostEntries = Integer.MAX_VALUE;

    /** Lets all calls fail so from now on; empty lets them succeed. */
    synchronized void fail(Optional<FailureKind> kind) {
        failure = kind.map(of -> new ApiFailure(of, of + " as the test wants", Optional.empty()));
    }

    /** All calls fail from now on, with the word to come again in an hour. */
    synchronized void failForAnHour() {
        failure = Optional.of(
                new ApiFailure(FailureKind.THROTTLED, "throttled as the test wants", Optional.of(Duration.ofHours(1))));
    }

    /** The server stores this of what nodes write. */
    synchronized void prune(UnaryOperator<NvlinkNode> form) {
        pruning = form;
    }

    /** Does this once, before the next table is written. */
    synchronized void beforeTable(Runnable other) {
        beforeTable = other;
    }

    /** Reads of tables wait for this from now on. */
    synchronized void beforeRead(CountDownLatch answer) {
        beforeRead = answer;
    }

    private synchronized CountDownLatch beforeRead() {
        return beforeRead;
    }

    /** The policy for agents lets so many entries into a write. */
    synchronized void mostEntries(int most) {
        mostEntries = most;
    }

    /** The calls so far, each as verb and kind. */
    List<String> calls() {
        synchronized (calls) {
            return List.copyOf(calls);
        }
    }

    void forgetCalls() {
        calls.clear();
    }

    /** Somebody writes a table. */
    synchronized void table(CliqueId id, int limit, ChannelTable table) {
        store(id.text(), new NvlinkClique(limit, Optional.empty(), table));
    }

    synchronized ChannelTable table(CliqueId id) {
        return this.<NvlinkClique>get(id.text()).orElseThrow().content().table();
    }

    /** Somebody deletes the object of a node. */
    void remove(String name) {
        Consumer<Optional<Stored<NvlinkNode>>> watch;
        synchronized (this) {
            objects.remove(name);
            watch = watches.getOrDefault(name, object -> {});
        }
        watch.accept(Optional.empty());
    }

    synchronized Optional<NvlinkNode> content(String name) {
        return Optional.ofNullable(objects.get(name)).map(object -> (NvlinkNode) object.content());
    }

    private <T> Stored<T> store(String name, T content) {
        var stored = new Stored<>(name, "uid-" + name, Long.toString(++versions), false, content);
        objects.put(name, stored);
        return stored;
    }

    private void called(String what) throws ApiException {
        calls.add(what);
        if (failure.isPresent()) {
            throw new ApiException(failure.get());
        }
    }

    private static ApiException refused(FailureKind kind) {
        return new ApiException(new ApiFailure(kind, "refused", Optional.empty()));
    }

    @SuppressWarnings("unchecked")
    private <T> Optional<Stored<T>> get(String name) {
        return Optional.ofNullable((Stored<T>) objects.get(name));
    }

    private synchronized <T> Stored<T> over(String kind, Stored<T> observed, T content) throws ApiException {
        called("replace " + kind);
        Stored<T> present = this.<T>get(observed.name()).orElseThrow(() -> refused(FailureKind.NOT_FOUND));
        if (!present.version().equals(observed.version())) {
            throw refused(FailureKind.CONFLICT);
        }
        return present.content().equals(content) ? present : store(observed.name(), content);
    }

    @Override
    public StoredObjects<NvlinkNode> nodes() {
        return new StoredObjects<>() {
            @Override
            public Optional<Stored<NvlinkNode>> get(String name) throws ApiException {
                return read("node", name);
            }

            @Override
            public Stored<NvlinkNode> create(String name, NvlinkNode content) throws ApiException {
                return make(name, content);
            }

            @Override
            public Stored<NvlinkNode> replace(Stored<NvlinkNode> observed, NvlinkNode content) throws ApiException {
                return over("node", observed, pruned(content));
            }

            @Override
            public void delete(Stored<NvlinkNode> observed) {
                throw ofTheController();
            }
        };
    }

    private synchronized NvlinkNode pruned(NvlinkNode content) {
        return pruning.apply(content);
    }

    private synchronized Stored<NvlinkNode> make(String name, NvlinkNode content) throws ApiException {
        called("create node");
        if (objects.containsKey(name)) {
            throw refused(FailureKind.CONFLICT);
        }
        return store(name, pruning.apply(content));
    }

    @Override
    public StoredObjects<FabricTest> tests() {
        throw new AssertionError("agents have no right to FabricTests");
    }

    @Override
    public StoredObjects<NvlinkClique> cliques() {
        return new StoredObjects<>() {
            @Override
            public Optional<Stored<NvlinkClique>> get(String name) throws ApiException {
                try {
                    beforeRead().await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                return read("clique", name);
            }

            @Override
            public Stored<NvlinkClique> create(String name, NvlinkClique content) {
                throw ofTheController();
            }

            @Override
            public Stored<NvlinkClique> replace(Stored<NvlinkClique> observed, NvlinkClique content)
                    throws ApiException {
                takeBeforeTable().run();
                return overTable(observed, content);
            }

            @Override
            public void delete(Stored<NvlinkClique> observed) {
                throw ofTheController();
            }
        };
    }

    private synchronized Stored<NvlinkClique> overTable(Stored<NvlinkClique> observed, NvlinkClique content)
            throws ApiException {
        long added = content.table().entries().values().stream()
                .filter(entry -> !observed.content().table().entries().containsValue(entry))
                .count();
        if (added > mostEntries) {
            called("denied clique");
            throw refused(FailureKind.ADMISSION);
        }
        return over("clique", observed, content);
    }

    private synchronized Runnable takeBeforeTable() {
        Runnable other = beforeTable;
        beforeTable = () -> {};
        return other;
    }

    private synchronized <T> Optional<Stored<T>> read(String kind, String name) throws ApiException {
        called("get " + kind);
        return get(name);
    }

    @Override
    public synchronized void watch(String name, Consumer<Optional<Stored<NvlinkNode>>> listener) {
        watches.put(name, listener);
        // As a watch begins: with what there is.
        listener.accept(get(name));
    }

    @Override
    public synchronized List<Stored<NvlinkNode>> nodesOf(CliqueId clique) throws ApiException {
        called("list nodes");
        return objects.values().stream()
                .filter(object -> object.content() instanceof NvlinkNode node
                        && node.cliques().contains(clique))
                .map(object -> this.<NvlinkNode>get(object.name()).orElseThrow())
                .toList();
    }

    /** What a node says that uses this channel of the clique. */
    static NvlinkNode using(CliqueId clique, DomainName domain, int channel) {
        return new NvlinkNode(
                "session",
                1,
                new TreeSet<>(List.of(clique)),
                Optional.empty(),
                OptionalInt.empty(),
                NvlinkNode.byDomain(List.of(new Hold(domain, Optional.of(new ChannelId(channel))))),
                NodeStatus.NONE,
                true);
    }

    /** Another node says this. */
    synchronized void node(String name, NvlinkNode content) {
        var _ = store(name, content);
    }

    @Override
    public Stored<NvlinkNode> mark(Stored<NvlinkNode> observed, Optional<Outage> outage) {
        throw ofTheController();
    }

    @Override
    public Map<String, ListedNode> kubernetesNodes(Optional<String> label) {
        throw ofTheController();
    }

    @Override
    public boolean nodeExists(String name) {
        throw ofTheController();
    }

    private static AssertionError ofTheController() {
        return new AssertionError("a call of the controller");
    }
}
