package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The API server of the model: versions, conflicts, and writes that change nothing and so make no version. */
final class ModelServer {

    private static final String UID = "uid";

    private final Map<Object, Stored<?>> objects = new HashMap<>();
    private long version = 1;

    Optional<Stored<NvlinkNode>> node(String name) {
        return Optional.ofNullable(objects.get(name))
                .map(found -> new Stored<>(UID, found.version(), (NvlinkNode) found.content()));
    }

    Optional<Stored<ChannelTable>> table(CliqueId clique) {
        return Optional.ofNullable(objects.get(clique))
                .map(found -> new Stored<>(UID, found.version(), (ChannelTable) found.content()));
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
                Objects.equals(found.content(), content) ? new Stored<>(UID, over, content) : store(key, content));
    }

    private <T> Stored<T> store(Object key, T content) {
        var stored = new Stored<>(UID, Long.toString(++version), content);
        objects.put(key, stored);
        return stored;
    }

    void delete(Object key, String over) {
        objects.computeIfPresent(key, (name, found) -> found.version().equals(over) ? null : found);
    }

    /** The nodes that name the clique, by a list that the server itself answers. */
    List<NvlinkNode> nodesOf(CliqueId clique) {
        return objects.values().stream()
                .filter(found -> found.content() instanceof NvlinkNode)
                .map(found -> (NvlinkNode) found.content())
                .filter(node -> node.clique().equals(Optional.of(clique)))
                .toList();
    }

    static Set<ComputeDomainUid> held(List<NvlinkNode> nodes) {
        return nodes.stream().flatMap(node -> node.holds().keySet().stream()).collect(Collectors.toSet());
    }

    /** A table for a clique that has none, of what its nodes hold. */
    static ChannelTable filled(List<NvlinkNode> nodes) {
        return ChannelTable.of(nodes.stream()
                .flatMap(node -> node.holds().values().stream())
                .filter(hold -> hold.channel().isPresent())
                .map(hold -> new ChannelEntry(
                        hold.channel().get(), hold.domain(), "controller", ChannelEntry.State.ASSIGNED))
                .toList());
    }
}
