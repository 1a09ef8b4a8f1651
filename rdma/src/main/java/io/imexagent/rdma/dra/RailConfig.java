package io.imexagent.rdma.dra;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a claim wants with its rails, {@code RdmaRailConfig}.
 *
 * @param mode what is handed out of a NIC
 * @param umad whether containers get the nodes for management datagrams
 * @param issm whether they get the nodes of a subnet manager
 * @param nccl whether they are told in their environment what NCCL has to know; of the GID index only where the interfaces
 *     stay on the host
 * @param hca an explicit {@code NCCL_IB_HCA}, which wins
 * @param gidIndex an explicit {@code NCCL_IB_GID_INDEX}, which wins
 * @param topologyFile an explicit {@code NCCL_TOPO_FILE}, a path in the container, which wins
 * @param hostTopology whether they get the topology file that the node is configured with, where it is there
 * @param debug the variables by which NCCL tells what it does, by name; none where nobody asked for that
 */
public record RailConfig(
        Mode mode,
        boolean umad,
        boolean issm,
        boolean nccl,
        Optional<String> hca,
        OptionalInt gidIndex,
        Optional<String> topologyFile,
        boolean hostTopology,
        SortedMap<String, String> debug) {

    /** What is handed out of a NIC. */
    public enum Mode {
        /** Its verbs node; its interface stays on the host. */
        VERBS("Verbs"),
        /** Its verbs node, and its interface moves into the container. */
        NETDEV("Netdev");

        private final String text;

        Mode(String text) {
            this.text = text;
        }

        /** The mode of this name. */
        public static Optional<Mode> parse(String text) {
            return Stream.of(values()).filter(mode -> mode.text.equals(text)).findFirst();
        }
    }

    /** What holds for a claim that says nothing. */
    public static final RailConfig STANDARD = new RailConfig(
            Mode.VERBS,
            false,
            false,
            true,
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            true,
            Collections.emptySortedMap());

    /** The variables that one switch sets, with the values that it sets. */
    public static final Map<String, String> DEBUG_ALL = Map.of(
            "NCCL_DEBUG", "INFO",
            "NCCL_DEBUG_SUBSYS", "INIT,NET,GRAPH,ENV",
            "NCCL_DEBUG_FILE", "/tmp/nccl-debug.%h.%p.log",
            "NCCL_TOPO_DUMP_FILE", "/tmp/nccl-topo.xml");

    /** Copies the map in. */
    public RailConfig {
        debug = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, String>) debug));
    }

    /** Whether it asks for nodes that reach the whole fabric, which only an administrator can grant. */
    public boolean wantsManagement() {
        return umad || issm;
    }
}
