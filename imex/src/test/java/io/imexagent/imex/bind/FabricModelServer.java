package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;

/** The API server of the model: versions, conflicts, and writes that change nothing and so make no version. */
final class FabricModelServer {

    private static final String UID = "uid";

    private final Map<Object, Stored<?>> objects = new HashMap<>();
    private long version = 1;
    private boolean olderPolicy;

    /** Every table that each clique had. */
    private final Map<CliqueId, List<ChannelTable>> past = new HashMap<>();

    /** What somebody does to a table by hand. */
    enum Damage {
        RESTORED,
        EMPTIED,
        SWAPPED
    }

    /** Somebody damages a table that is there. */
    void damage(CliqueId clique, Damage damage, SplittableRandom random) {
        table(clique).map(Stored::content).ifPresent(now -> store(clique, damaged(clique, now, damage, random)));
    }

    private ChannelTable damaged(CliqueId clique, ChannelTable now, Damage damage, SplittableRandom random) {
        return switch (damage) {
            case RESTORED -> {
                List<ChannelTable> before = past.getOrDefault(clique, List.of(ChannelTable.EMPTY));
                yield before.get(random.nextInt(before.size()));
            }
            case EMPTIED -> ChannelTable.EMPTY;
            case SWAPPED -> {
                List<ChannelEntry> entries = new ArrayList<>(now.entries().values());
                if (entries.size() < 2) {
                    yield now;
                }
                ChannelEntry one = entries.remove(random.nextInt(entries.size()));
                ChannelEntry other = entries.remove(random.nextInt(entries.size()));
                entries.add(new ChannelEntry(other.id(), one.domain(), one.by(), one.state()));
                entries.add(new ChannelEntry(one.id(), other.domain(), other.by(), other.state()));
                yield ChannelTable.of(entries);
            }
        };
    }

    /** What became of an agent's write of a table. */
    sealed interface Written {

        record Stored(io.imexagent.kubernetes.Stored<NvlinkClique> table) implements Written {}

        record Overtaken() implements Written {}

        record Denied() implements Written {}
    }

    /** From now on the policy for agents lets one entry into a write, or as many as they like. */
    void olderPolicy(boolean older) {
        olderPolicy = older;
    }

    /** A table as an agent reads it, of a clique whose nodes say nothing of how many channels they have. */
    static Stored<NvlinkClique> clique(Stored<ChannelTable> table) {
        return new Stored<>(
                table.name(), UID, table.version(), false, new NvlinkClique(0, Optional.empty(), table.content()));
    }

    /** An agent adds entries to a table. */
    Written writeEntries(Stored<NvlinkClique> observed, NvlinkClique content) {
        CliqueId clique = new CliqueId(observed.name());
        long changed = content.table().entries().values().stream()
                .filter(entry -> !observed.content().table().entries().containsValue(entry))
                .count();
        Optional<Stored<ChannelTable>> stored =
                olderPolicy && changed > 1 ? Optional.empty() : replace(clique, observed.version(), content.table());
        return stored.<Written>map(table -> new Written.Stored(clique(table)))
                .orElseGet(() -> olderPolicy && changed > 1 ? new Written.Denied() : new Written.Overtaken());
    }

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
        if (content instanceof ChannelTable table) {
            past.computeIfAbsent((CliqueId) key, none -> new ArrayList<>()).add(table);
        }
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
