package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The API server of the model: versions, conflicts, and writes that change nothing and so make no version. */
final class FabricModelServer {

    private static final String UID = "uid";

    private final Map<Object, Stored<?>> objects = new HashMap<>();
    private long version = 1;

    Optional<Stored<NvlinkNode>> node(String name) {
        return Optional.ofNullable(objects.get(name))
                .map(found -> new Stored<>(found.name(), UID, found.version(), false, (NvlinkNode) found.content()));
    }

    Optional<Stored<ChannelTable>> table(CliqueId clique) {
        return Optional.ofNullable(objects.get(clique))
                .map(found -> new Stored<>(found.name(), UID, found.version(), false, (ChannelTable) found.content()));
    }

    /** Makes an object; empty where there is one. */
    <T> Optional<Stored<T>> create(Object key, T content) {
        return objects.containsKey(key) ? Optional.empty() : Optional.of(store(key, content));
    }

    /** Replaces an object; empty where it is gone, or has another version. */
    <T> Optional<Stored<T>> replace(Object key, String over, T content) {
        Stored<?> found = objects.get(key);
        if (found == null || !found.version().equals(over)) {
            return Optional.empty();
        }
        return Optional.of(
                Objects.equals(found.content(), content)
                        ? new Stored<>(found.name(), UID, over, false, content)
                        : store(key, content));
    }

    private <T> Stored<T> store(Object key, T content) {
        var stored = new Stored<>(key.toString(), UID, Long.toString(++version), false, content);
        objects.put(key, stored);
        return stored;
    }

    void delete(Object key, String over) {
        objects.computeIfPresent(key, (name, found) -> found.version().equals(over) ? null : found);
    }

    /** The nodes that name the clique, by a list that the server itself answers. */
    List<Stored<NvlinkNode>> nodesOf(CliqueId clique) {
        return objects.keySet().stream()
                .filter(String.class::isInstance)
                .flatMap(name -> node((String) name).stream())
                .filter(node -> node.content().cliques().contains(clique))
                .toList();
    }

    /** Somebody writes the object of a node without changing what it holds. */
    void touch(String name) {
        node(name).ifPresent(found -> store(name, found.content()));
    }
}
