package io.imexagent.core.inventory;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All addresses and names of one node; names stand with and without their domain. */
public record NodeIdentity(Set<NodeAddress> known) {

    /** A node of which nothing is known. */
    public static final NodeIdentity NONE = new NodeIdentity(Set.of());

    public NodeIdentity {
        known = Set.copyOf(known);
    }

    /** The node with these addresses and names; blank texts are ignored. */
    public static NodeIdentity of(Collection<String> written) {
        return new NodeIdentity(
                written.stream().map(NodeAddress::of).flatMap(Optional::stream).collect(Collectors.toSet()));
    }

    /** This node with the other's addresses and names added. */
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
