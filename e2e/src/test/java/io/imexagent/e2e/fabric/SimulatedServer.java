package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * An API server in simulated time: versions, conflicts, watches, and what each call weighs. Its calls answer what a real
 * one would; a write that was overtaken answers with nothing.
 */
final class SimulatedServer {

    /** Two controllers, of which one works, watch nodes and tables; an agent watches its own node. */
    private static final int CONTROLLERS = 2;

    private static final int HEAD = 600;

    /**
     * Bytes of the objects as JSON, without the {@code managedFields} of a real server, as {@code ObjectWeightsTest}
     * weighs them: the object of a node and each of its holds, the table of a clique and each of its entries.
     */
    private static final int NODE = 702;

    private static final int HOLD = 114;
    private static final int TABLE = 325;
    private static final int ENTRY = 146;

    private final Timeline time;
    private final Traffic traffic = new Traffic();
    private final Map<CliqueId, Map<String, Stored<NvlinkNode>>> nodesByClique = new HashMap<>();
    private final Kind<NvlinkNode> nodes;
    private final Kind<NvlinkClique> tables;
    private long version;
    private long conflicts;

    SimulatedServer(Timeline time) {
        this.time = time;
        this.nodes = new Kind<>("NVLinkNode", SimulatedServer::weight, CONTROLLERS + 1, this::index);
        this.tables = new Kind<>("NVLinkClique", SimulatedServer::weight, CONTROLLERS, table -> {});
    }

    static int weight(NvlinkNode node) {
        return NODE + HOLD * node.holds().size();
    }

    static int weight(NvlinkClique clique) {
        return TABLE + ENTRY * clique.table().entries().size();
    }

    Traffic traffic() {
        return traffic;
    }

    long conflicts() {
        return conflicts;
    }

    Kind<NvlinkNode> nodes() {
        return nodes;
    }

    Kind<NvlinkClique> tables() {
        return tables;
    }

    /** A call of which only the weight matters. */
    void call(String kind, int in, int out) {
        traffic.add(kind, time.now(), HEAD + in, HEAD + out);
    }

    /** Watch events without a change of an object here. */
    void events(int count, int bytes) {
        for (int i = 0; i < count; i++) {
            traffic.add("events of watches", time.now(), 0, bytes);
        }
    }

    /** The nodes of a clique as they are, which is no call. */
    List<Stored<NvlinkNode>> present(CliqueId clique) {
        return List.copyOf(nodesByClique.getOrDefault(clique, Map.of()).values());
    }

    /** By their label, from the server itself. */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) {
        List<Stored<NvlinkNode>> found = present(clique);
        int bytes = found.stream().mapToInt(nodes::weight).sum();
        call("LIST NVLinkNodes of a clique", 0, bytes);
        return found;
    }

    private void index(Stored<NvlinkNode> node) {
        node.content()
                .cliques()
                .forEach(clique -> nodesByClique
                        .computeIfAbsent(clique, none -> new TreeMap<>())
                        .put(node.name(), node));
    }

    /** The objects of one kind, by name. */
    final class Kind<T> {

        private final String kind;
        private final ToIntFunction<T> weight;
        private final int watchers;
        private final Consumer<Stored<T>> index;
        private final Map<String, Stored<T>> objects = new HashMap<>();
        private final List<Consumer<Stored<T>>> watches = new ArrayList<>();
        private int largest;

        private Kind(String kind, ToIntFunction<T> weight, int watchers, Consumer<Stored<T>> index) {
            this.kind = kind;
            this.weight = weight;
            this.watchers = watchers;
            this.index = index;
        }

        /** The bytes of the largest object that was written. */
        int largest() {
            return largest;
        }

        List<Stored<T>> all() {
            return List.copyOf(objects.values());
        }

        /** The object as it is, which is no call. */
        Optional<Stored<T>> present(String name) {
            return Optional.ofNullable(objects.get(name));
        }

        void watch(Consumer<Stored<T>> listener) {
            watches.add(listener);
        }

        Optional<Stored<T>> get(String name) {
            Optional<Stored<T>> found = Optional.ofNullable(objects.get(name));
            call("GET " + kind, 0, found.map(this::weight).orElse(0));
            return found;
        }

        Optional<Stored<T>> create(String name, T content) {
            return write("POST ", name, content, !objects.containsKey(name));
        }

        Optional<Stored<T>> replace(Stored<T> observed, T content) {
            Optional<Stored<T>> now = Optional.ofNullable(objects.get(observed.name()));
            boolean same = now.filter(object -> object.version().equals(observed.version()))
                    .isPresent();
            return write("PUT ", observed.name(), content, same);
        }

        private Optional<Stored<T>> write(String verb, String name, T content, boolean accepted) {
            int bytes = weight.applyAsInt(content);
            call(verb + kind, bytes, bytes);
            if (!accepted) {
                conflicts++;
                return Optional.empty();
            }
            var stored = new Stored<>(name, "uid-" + name, Long.toString(++version), false, content);
            objects.put(name, stored);
            index.accept(stored);
            largest = Math.max(largest, bytes);
            events(watchers, bytes);
            Duration least = Duration.ofMillis(10);
            watches.forEach(watch -> time.after(time.about(least, least.multipliedBy(2)), () -> watch.accept(stored)));
            return Optional.of(stored);
        }

        private int weight(Stored<T> object) {
            return weight.applyAsInt(object.content());
        }
    }
}
