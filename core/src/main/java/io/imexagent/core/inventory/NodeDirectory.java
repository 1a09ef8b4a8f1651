package io.imexagent.core.inventory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Nodes, found by what others call them: by an address, else by a name with its domain, else by a name without it. The
 * first of these by which any node fits decides, and where several fit by it, none is the one that was meant.
 *
 * <p>Names without a domain are equal to names with any, but never make two nodes one whose domains differ.
 */
public final class NodeDirectory {

    private final List<NodeIdentity> nodes;
    private final Map<NodeAddress, Set<Integer>> byAddress = new HashMap<>();
    private final Map<String, Set<Integer>> byLabel = new HashMap<>();

    /** The nodes, which are numbered as they stand there. */
    public NodeDirectory(List<NodeIdentity> nodes) {
        this.nodes = List.copyOf(nodes);
        for (int index = 0; index < this.nodes.size(); index++) {
            int node = index;
            NodeIdentity identity = this.nodes.get(index);
            identity.known()
                    .forEach(known -> byAddress
                            .computeIfAbsent(known, none -> new TreeSet<>())
                            .add(node));
            identity.names()
                    .forEach(name -> byLabel.computeIfAbsent(name.label(), none -> new TreeSet<>())
                            .add(node));
        }
    }

    /** The numbers of the nodes that fit best: none, one, or several that nothing keeps apart. */
    public Set<Integer> fitting(NodeIdentity called) {
        return Stream.<Function<NodeIdentity, Set<Integer>>>of(this::byIp, this::byFullName, this::byLabel)
                .map(way -> way.apply(called))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(Set.of());
    }

    /** The number of the only node that fits best; empty where none does, or several do. */
    public OptionalInt find(NodeIdentity called) {
        Set<Integer> fitting = fitting(called);
        return fitting.size() == 1 ? OptionalInt.of(fitting.iterator().next()) : OptionalInt.empty();
    }

    private Set<Integer> byIp(NodeIdentity called) {
        return at(called.addresses());
    }

    private Set<Integer> byFullName(NodeIdentity called) {
        return at(called.names().filter(NodeAddress.HostName::isFull));
    }

    private Set<Integer> at(Stream<? extends NodeAddress> called) {
        return called.flatMap(one -> byAddress.getOrDefault(one, Set.of()).stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Set<Integer> byLabel(NodeIdentity called) {
        return called.names()
                .map(NodeAddress.HostName::label)
                .distinct()
                .flatMap(label -> byLabel.getOrDefault(label, Set.of()).stream()
                        .filter(node -> !hasDomain(called, label) || !hasDomain(nodes.get(node), label)))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean hasDomain(NodeIdentity node, String label) {
        return node.names().anyMatch(name -> name.isFull() && name.label().equals(label));
    }
}
