package io.imexagent.rdma.rails;

import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.text.DisplayedName;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.dra.claim.OpaqueFields.FieldException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a claim wants with its rails, {@code RdmaRailConfig}; decoded strictly, as {@link OpaqueFields}.
 *
 * @param mode what is handed out of a NIC
 * @param umad whether containers get the nodes for management datagrams
 * @param issm whether they get the nodes of a subnet manager
 * @param nccl whether they are told what NCCL has to know; of GIDs only where the interfaces stay on the host
 * @param env how they are told that, and what stands here explicitly; empty where the node decides ({@link PodVariables})
 * @param hca an explicit {@code NCCL_IB_HCA}, which wins
 * @param gidIndex an explicit {@code NCCL_IB_GID_INDEX}, which wins
 * @param topologyFile an explicit {@code NCCL_TOPO_FILE}, a path in the container, which wins
 * @param hostTopology whether they get the topology file that the node is configured with, where it is there
 * @param debug the variables by which NCCL tells what it does, by name; none unless asked for
 */
public record RailConfig(
        RailMode mode,
        boolean umad,
        boolean issm,
        boolean nccl,
        Optional<EnvironmentMode> env,
        Optional<String> hca,
        OptionalInt gidIndex,
        Optional<String> topologyFile,
        boolean hostTopology,
        SortedMap<String, String> debug) {

    public enum RailMode {
        /** Containers get the verbs node; the interface stays on the host. */
        VERBS,
        /** Containers get the verbs node, and the interface moves into the container. */
        NETDEV
    }

    public enum EnvironmentMode implements DisplayedName {
        /** Variables are set by the CDI spec; the runtime decides whether they replace the pod's. */
        ALWAYS,
        /** Variables are in a file, from which NCCL reads those that its environment lacks. */
        UNLESS_SET
    }

    /** The configuration of a claim without parameters. */
    public static final RailConfig STANDARD = new RailConfig(
            RailMode.VERBS,
            false,
            false,
            true,
            Optional.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            true,
            Collections.emptySortedMap());

    /** The variables that {@code debug} sets. */
    static final Map<String, String> DEBUG_ALL = Map.of(
            "NCCL_DEBUG", "INFO",
            "NCCL_DEBUG_SUBSYS", "INIT,NET,GRAPH,ENV",
            "NCCL_DEBUG_FILE", "/tmp/nccl-debug.%h.%p.log",
            "NCCL_TOPO_DUMP_FILE", "/tmp/nccl-topo.xml");

    /** Fields that set one variable each, with precedence over {@code debug}. */
    private static final Map<String, String> DEBUG = Map.of(
            "debugLevel", "NCCL_DEBUG",
            "debugSubsystems", "NCCL_DEBUG_SUBSYS",
            "debugFile", "NCCL_DEBUG_FILE",
            "topologyDumpFile", "NCCL_TOPO_DUMP_FILE");

    private static final List<String> FIELDS = List.of(("apiVersion kind mode umad issm nccl env ncclIbHca gidIndex"
                    + " topologyFile hostTopology debug debugLevel debugSubsystems debugFile topologyDumpFile")
            .split(" ", -1));

    /** The longest value that NCCL reads from a file, longer than any sensible list of devices. */
    private static final int LONGEST = 1023;

    /** A port's GID table has at most 256 slots. */
    private static final int LAST_GID = 255;

    public RailConfig {
        debug = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, String>) debug));
    }

    boolean movesInterfaces() {
        return mode == RailMode.NETDEV;
    }

    /**
     * Whether the configuration requests nodes that control the whole fabric, which only an administrator may grant.
     */
    public boolean wantsManagement() {
        return umad || issm;
    }

    /** Decodes parameters that a user or an administrator wrote; throws if they are not a valid configuration. */
    static RailConfig decode(JsonText parameters) throws FieldException {
        OpaqueFields fields = OpaqueFields.read(parameters, FIELDS);
        fields.demand("apiVersion", RailDriver.API_VERSION);
        fields.demand("kind", RailDriver.CONFIG_KIND);
        return new RailConfig(
                second(fields, "mode", "Verbs", "Netdev") ? RailMode.NETDEV : RailMode.VERBS,
                fields.flag("umad", false),
                fields.flag("issm", false),
                fields.flag("nccl", true),
                environment(fields),
                value(fields, "ncclIbHca"),
                fields.number("gidIndex", LAST_GID),
                path(fields, "topologyFile"),
                fields.flag("hostTopology", true),
                debug(fields));
    }

    private static Optional<EnvironmentMode> environment(OpaqueFields fields) throws FieldException {
        boolean unlessSet = second(fields, "env", "always", "unless-set");
        return fields.text("env").isEmpty()
                ? Optional.empty()
                : Optional.of(unlessSet ? EnvironmentMode.UNLESS_SET : EnvironmentMode.ALWAYS);
    }

    /** This configuration with the given environment mode if it has none. */
    RailConfig orElse(Optional<EnvironmentMode> other) {
        return new RailConfig(
                mode, umad, issm, nccl, env.or(() -> other), hca, gidIndex, topologyFile, hostTopology, debug);
    }

    /** Whether the field has the second of two values; a missing field has the first. */
    private static boolean second(OpaqueFields fields, String field, String first, String second)
            throws FieldException {
        String text = fields.text(field);
        if (!text.isEmpty() && !text.equals(first) && !text.equals(second)) {
            throw new FieldException(
                    "field \"" + field + "\" must be \"" + first + "\" or \"" + second + "\", not " + Quoted.of(text));
        }
        return text.equals(second);
    }

    private static SortedMap<String, String> debug(OpaqueFields fields) throws FieldException {
        var variables = new TreeMap<String, String>();
        if (fields.flag("debug", false)) {
            variables.putAll(DEBUG_ALL);
        }
        for (Map.Entry<String, String> field : DEBUG.entrySet()) {
            value(fields, field.getKey()).ifPresent(value -> variables.put(field.getValue(), value));
        }
        return variables;
    }

    private static Optional<String> path(OpaqueFields fields, String field) throws FieldException {
        Optional<String> path = value(fields, field);
        if (path.isPresent() && !path.get().startsWith("/")) {
            throw new FieldException(
                    "field \"" + field + "\" must be an absolute path in the container, not " + Quoted.of(path.get()));
        }
        return path;
    }

    /** The value of a field for an environment variable: one printable line. */
    private static Optional<String> value(OpaqueFields fields, String field) throws FieldException {
        String text = fields.text(field);
        if (text.length() > LONGEST || !text.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
            throw new FieldException(
                    "field \"" + field + "\" must be at most " + LONGEST + " printable ASCII characters");
        }
        return Optional.of(text).filter(value -> !value.isEmpty());
    }
}
