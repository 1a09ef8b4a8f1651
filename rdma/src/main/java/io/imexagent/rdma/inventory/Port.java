package io.imexagent.rdma.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * A port of an RDMA device.
 *
 * @param number its number, from 1
 * @param linkLayer what its link speaks
 * @param state its logical state
 * @param physicalState the kernel's word for the link, {@code LinkUp}; empty where it is not told
 * @param gbps its rate in Gb/s; empty where it is not told
 * @param lid its address in the InfiniBand subnet; empty where there is none, as on Ethernet
 * @param gids the slots of its GID table that are not empty, by index
 */
public record Port(
        int number,
        LinkLayer linkLayer,
        PortState state,
        Optional<String> physicalState,
        OptionalDouble gbps,
        OptionalInt lid,
        List<GidEntry> gids) {

    /** Copies the list in. */
    public Port {
        gids = List.copyOf(gids);
    }

    /** Whether traffic can pass. */
    public boolean isActive() {
        return state == PortState.ACTIVE;
    }

    /**
     * The GID to use on Ethernet: one that holds an IPv4 address before one that does not, one of the interface before
     * one of something stacked upon it, then the lowest.
     *
     * @param netdev the port's own interface
     */
    public Optional<GidEntry> bestGid(Optional<InterfaceName> netdev) {
        return gids.stream()
                .filter(GidEntry::isUsable)
                .min(Comparator.comparing((GidEntry entry) -> entry.gid().ipv4().isEmpty())
                        .thenComparing(entry -> !entry.netdev().equals(netdev))
                        .thenComparingInt(GidEntry::index));
    }
}
