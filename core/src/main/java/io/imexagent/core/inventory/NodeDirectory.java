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
 * Finds nodes by their addresses and names: first by address, then by name with domain, then by name without domain.
 * The first way that finds any node decides; if it finds several, the result is ambiguous.
 *
 * <p>Names without a domain are equal to names with any, but never make two nodes one whose domains differ.
 */
public final class NodeDirectory {

    private final List<NodeIdentity> nodes;
    private final Map<NodeAddress, Set<Integer>> byAddress = new HashMap<>();
    private final Map<String, Set<Integer>> byLabel = new HashMap<>();

    /** A directory of these nodes, numbered by their position in the list. */
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

    /** The numbers of the nodes that match best: none, one, or several if the match is ambiguous. */
    public Set<Integer> fitting(NodeIdentity called) {
        return Stream.<Function<NodeIdentity, Set<Integer>>>of(this::byIp, this::byFullName, this::byLabel)
                .map(way -> way.apply(called))
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(Set.of());
    }

    /** The number of the one node that matches best; empty if none matches, or several do. */
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
