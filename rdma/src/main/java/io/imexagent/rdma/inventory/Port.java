package io.imexagent.rdma.inventory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A port of an RDMA device, by its number from 1; with the kernel's word for the link ({@code LinkUp}), its rate in
 * Gb/s, its address in the InfiniBand subnet, empty where there is none or it is not told, and the slots of its GID
 * table that are not empty, by index.
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

    /** Whether traffic can pass. */
    public boolean isActive() {
        return state == PortState.ACTIVE;
    }

    /** Whether RDMA traffic can pass: it has a usable GID on Ethernet, a LID on InfiniBand. */
    public boolean isUsable() {
        return isActive()
                && switch (linkLayer) {
                    case ETHERNET -> gids.stream().anyMatch(Gid.GidEntry::isUsable);
                    case INFINIBAND -> lid.isPresent();
                    case UNTOLD -> false;
                };
    }

    /** The GID to use, on Ethernet alone: with an IPv4 address first, then of the port's own interface, then the lowest. */
    public Optional<Gid.GidEntry> bestGid(Optional<InterfaceName> netdev) {
        return gids.stream()
                .filter(entry -> linkLayer == LinkLayer.ETHERNET && entry.isUsable())
                .min(Comparator.comparing(
                                (Gid.GidEntry entry) -> entry.gid().ipv4().isEmpty())
                        .thenComparing(entry -> !entry.netdev().equals(netdev))
                        .thenComparingInt(Gid.GidEntry::index));
    }

    /** What a port's link speaks. */
    public enum LinkLayer {
        ETHERNET("Ethernet"),
        INFINIBAND("InfiniBand"),
        /** The kernel reported nothing, or another word. */
        UNTOLD("not told");

        private final String text;

        LinkLayer(String text) {
            this.text = text;
        }

        /** The layer that the kernel's word in {@code link_layer} means. */
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
        /** Was active, and its link has just failed. */
        ACTIVE_DEFER,
        /** The kernel reported nothing, or another word. */
        UNTOLD;

        /** The state in the kernel's text, {@code 4: ACTIVE}. */
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

        /** The state in a word for people and labels. */
        public String text() {
            return this == UNTOLD ? "not told" : name();
        }
    }
}
