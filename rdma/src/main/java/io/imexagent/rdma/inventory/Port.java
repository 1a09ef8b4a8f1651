package io.imexagent.rdma.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A port of an RDMA device, by its number from 1; with the kernel's text for the link ({@code LinkUp}), its rate in
 * Gb/s, its address in the InfiniBand subnet (empty if it has none or it is unknown), and the used slots of its GID
 * table by index.
 */
public record Port(
        int number,
        LinkLayer linkLayer,
        PortState state,
        Optional<String> physicalState,
        Optional<Double> gbps,
        Optional<Integer> lid,
        List<Gid.GidEntry> gids) {

    public Port {
        gids = List.copyOf(gids);
    }

    /** Whether the link carries traffic. */
    public boolean isActive() {
        return state == PortState.ACTIVE;
    }

    /** Whether the port carries RDMA traffic: on Ethernet it needs a usable GID, on InfiniBand a LID. */
    public boolean isUsable() {
        return isActive()
                && switch (linkLayer) {
                    case ETHERNET -> gids.stream().anyMatch(Gid.GidEntry::isUsable);
                    case INFINIBAND -> lid.isPresent();
                    case UNTOLD -> false;
                };
    }

    /**
     * The GID to use, on Ethernet only: preferably with an IPv4 address, then of the port's own interface, then the
     * lowest index.
     */
    public Optional<Gid.GidEntry> bestGid(Optional<InterfaceName> netdev) {
        return gids.stream()
                .filter(entry -> linkLayer == LinkLayer.ETHERNET && entry.isUsable())
                .min(Comparator.comparing(
                                (Gid.GidEntry entry) -> entry.gid().ipv4().isEmpty())
                        .thenComparing(entry -> !entry.netdev().equals(netdev))
                        .thenComparingInt(Gid.GidEntry::index));
    }

    /** The link layer of a port. */
    public enum LinkLayer {
        ETHERNET("Ethernet"),
        INFINIBAND("InfiniBand"),
        /** The kernel reported nothing, or an unknown text. */
        UNTOLD("not told");

        private final String text;

        LinkLayer(String text) {
            this.text = text;
        }

        /** The layer for the kernel's text in {@code link_layer}. */
        public static LinkLayer of(String word) {
            return switch (word) {
                case "Ethernet" -> ETHERNET;
                case "InfiniBand" -> INFINIBAND;
                default -> UNTOLD;
            };
        }

        public String text() {
            return text;
        }
    }

    /** A port's logical state, {@code enum ib_port_state} of rdma/ib_verbs.h. */
    public enum PortState {
        DOWN,
        /** The link is up, and the subnet manager has not seen it yet; InfiniBand only. */
        INIT,
        /** The subnet manager is configuring the port. */
        ARMED,
        ACTIVE,
        /** The port was active, and its link has just failed. */
        ACTIVE_DEFER,
        /** The kernel reported nothing, or an unknown text. */
        UNTOLD;

        /** The state for the kernel's text, {@code 4: ACTIVE}. */
        public static PortState of(String text) {
            return switch (text) {
                case "1: DOWN" -> DOWN;
                case "2: INIT" -> INIT;
                case "3: ARMED" -> ARMED;
                case "4: ACTIVE" -> ACTIVE;
                case "5: ACTIVE_DEFER" -> ACTIVE_DEFER;
                default -> UNTOLD;
            };
        }

        /** The state as a word for people and labels. */
        public String text() {
            return this == UNTOLD ? "not told" : name();
        }
    }
}
