package io.imexagent.core.inventory;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Everything that one node is called: its addresses, and its names with and without their domain. */
public record NodeIdentity(Set<NodeAddress> known) {

    /** A node of which nothing is known. */
    public static final NodeIdentity NONE = new NodeIdentity(Set.of());

    public NodeIdentity {
        known = Set.copyOf(known);
    }

    /** The node of which this is written; blank texts say nothing. */
    public static NodeIdentity of(Collection<String> written) {
        return new NodeIdentity(
                written.stream().map(NodeAddress::of).flatMap(Optional::stream).collect(Collectors.toSet()));
    }

    /** This node, which is called these, too. */
    public NodeIdentity and(NodeIdentity other) {
        var both = new LinkedHashSet<>(known);
        both.addAll(other.known);
        return new NodeIdentity(both);
    }

    Stream<NodeAddress.Ip> addresses() {
        return known.stream().flatMap(one -> one instanceof NodeAddress.Ip address ? Stream.of(address) : Stream.of());
    }

    Stream<NodeAddress.HostName> names() {
        return known.stream().flatMap(one -> one instanceof NodeAddress.HostName name ? Stream.of(name) : Stream.of());
    }
}
