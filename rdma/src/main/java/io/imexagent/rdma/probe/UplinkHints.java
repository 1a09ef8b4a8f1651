package io.imexagent.rdma.probe;

import io.imexagent.rdma.inventory.InterfaceName;
import java.net.InetAddress;
import java.util.Set;

/**
 * What files do not tell of the host's own traffic.
 *
 * @param nodeAddresses the addresses under which the cluster knows the node
 * @param uplinks further interfaces that carry it, such as the second next hop of an ECMP default route
 */
public record UplinkHints(Set<InetAddress> nodeAddresses, Set<InterfaceName> uplinks) {

    /** No hints. */
    public static final UplinkHints NONE = new UplinkHints(Set.of(), Set.of());

    /** Copies the sets in. */
    public UplinkHints {
        nodeAddresses = Set.copyOf(nodeAddresses);
        uplinks = Set.copyOf(uplinks);
    }
}
