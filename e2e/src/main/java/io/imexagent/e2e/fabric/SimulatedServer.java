package io.imexagent.e2e.fabric;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * An API server in simulated time: versions, conflicts, watches, and what each call weighs. Its calls answer what a real
 * one would; a write that was overtaken answers with nothing.
 */
final class SimulatedServer {

    /** Two controllers, of which one works, watch nodes and tables; an agent watches its own node. */
    private static final int CONTROLLERS = 2;

    private static final int HEAD = 600;

    private final Timeline time;
    private final Weights weights;
    private final Traffic traffic = new Traffic();
    private final Map<String, Stored<NvlinkNode>> nodes = new HashMap<>();
    private final Map<CliqueId, Map<String, Stored<NvlinkNode>>> nodesByClique = new HashMap<>();
    private final Map<CliqueId, Stored<NvlinkClique>> tables = new HashMap<>();
    private final List<Consumer<Stored<NvlinkNode>>> nodeWatches = new ArrayList<>();
    private final List<BiConsumer<CliqueId, Stored<NvlinkClique>>> tableWatches = new ArrayList<>();
    private long version;
    private long conflicts;
    private int largestNode;
    private int largestTable;

    SimulatedServer(Timeline time, Weights weights) {
        this.time = time;
        this.weights = weights;
    }

    Traffic traffic() {
        return traffic;
    }

    long conflicts() {
        return conflicts;
    }

    int largestNode() {
        return largestNode;
    }

    int largestTable() {
        return largestTable;
    }

    Map<CliqueId, Stored<NvlinkClique>> tables() {
        return tables;
    }

    void watch(Consumer<Stored<NvlinkNode>> ofNodes, BiConsumer<CliqueId, Stored<NvlinkClique>> ofTables) {
        nodeWatches.add(ofNodes);
        tableWatches.add(ofTables);
    }

    /** A call of another kind, of which only the weight matters. */
    void other(String kind, int in, int out) {
        traffic.add(kind, time.now(), HEAD + in, HEAD + out);
    }

    private void event(int bytes, int watchers) {
        for (int i = 0; i < watchers; i++) {
            traffic.add("events of watches", time.now(), 0, bytes);
        }
    }

    Optional<Stored<NvlinkNode>> node(String name) {
        Optional<Stored<NvlinkNode>> found = Optional.ofNullable(nodes.get(name));
        other("GET NVLinkNode", 0, found.map(node -> weights.of(node.content())).orElse(0));
        return found;
    }

    Optional<Stored<NvlinkNode>> create(String name, NvlinkNode content) {
        other("POST NVLinkNode", weights.of(content), weights.of(content));
        return nodes.containsKey(name) ? overtaken() : Optional.of(store(name, content));
    }

    Optional<Stored<NvlinkNode>> replace(Stored<NvlinkNode> observed, NvlinkNode content) {
        other("PUT NVLinkNode", weights.of(content), weights.of(content));
        Stored<NvlinkNode> now = nodes.get(observed.name());
        return now == null || !now.version().equals(observed.version())
                ? overtaken()
                : Optional.of(store(observed.name(), content));
    }

    private Stored<NvlinkNode> store(String name, NvlinkNode content) {
        var stored = new Stored<>(name, "uid-" + name, Long.toString(++version), false, content);
        nodes.put(name, stored);
        content.cliques()
                .forEach(clique -> nodesByClique
                        .computeIfAbsent(clique, none -> new TreeMap<>())
                        .put(name, stored));
        largestNode = Math.max(largestNode, weights.of(content));
        event(weights.of(content), CONTROLLERS + 1);
        nodeWatches.forEach(watch -> time.after(watchDelay(), () -> watch.accept(stored)));
        return stored;
    }

    /** By their label, from the server itself. */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) {
        List<Stored<NvlinkNode>> found =
                List.copyOf(nodesByClique.getOrDefault(clique, Map.of()).values());
        other(
                "LIST NVLinkNodes of a clique",
                0,
                found.stream().mapToInt(node -> weights.of(node.content())).sum());
        return found;
    }

    Optional<Stored<NvlinkClique>> table(CliqueId clique) {
        Optional<Stored<NvlinkClique>> found = Optional.ofNullable(tables.get(clique));
        other(
                "GET NVLinkClique",
                0,
                found.map(table -> weights.of(table.content())).orElse(0));
        return found;
    }

    Optional<Stored<NvlinkClique>> create(CliqueId clique, NvlinkClique content) {
        other("POST NVLinkClique", weights.of(content), weights.of(content));
        return tables.containsKey(clique) ? overtaken() : Optional.of(store(clique, content));
    }

    Optional<Stored<NvlinkClique>> replace(CliqueId clique, Stored<NvlinkClique> observed, NvlinkClique content) {
        other("PUT NVLinkClique", weights.of(content), weights.of(content));
        Stored<NvlinkClique> now = tables.get(clique);
        return now == null || !now.version().equals(observed.version())
                ? overtaken()
                : Optional.of(store(clique, content));
    }

    private Stored<NvlinkClique> store(CliqueId clique, NvlinkClique content) {
        var stored = new Stored<>(clique.text(), "uid-" + clique, Long.toString(++version), false, content);
        tables.put(clique, stored);
        largestTable = Math.max(largestTable, weights.of(content));
        event(weights.of(content), CONTROLLERS);
        tableWatches.forEach(watch -> time.after(watchDelay(), () -> watch.accept(clique, stored)));
        return stored;
    }

    private <T> Optional<T> overtaken() {
        conflicts++;
        return Optional.empty();
    }

    private Duration watchDelay() {
        return time.about(Duration.ofMillis(10), Duration.ofMillis(20));
    }
}
