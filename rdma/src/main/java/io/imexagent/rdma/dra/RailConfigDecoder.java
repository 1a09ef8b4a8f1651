package io.imexagent.rdma.dra;

import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.dra.claim.OpaqueFields;
import io.imexagent.dra.claim.OpaqueFields.Fault;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Decodes an {@code RdmaRailConfig}, strictly, as {@link OpaqueFields}. Pure. */
final class RailConfigDecoder {

    /** Longer than any sensible list of devices, and no danger for an environment. */
    private static final int LONGEST = 1024;

    /** A port's GID table has at most 256 slots. */
    private static final int LAST_GID = 255;

    private static final Map<String, String> DEBUG = Map.of(
            "debugLevel", "NCCL_DEBUG",
            "debugSubsystems", "NCCL_DEBUG_SUBSYS",
            "debugFile", "NCCL_DEBUG_FILE",
            "topologyDumpFile", "NCCL_TOPO_DUMP_FILE");

    private static final List<String> FIELDS = List.of(
            "apiVersion",
            "kind",
            "mode",
            "umad",
            "issm",
            "nccl",
            "ncclIbHca",
            "gidIndex",
            "topologyFile",
            "hostTopology",
            "debug",
            "debugLevel",
            "debugSubsystems",
            "debugFile",
            "topologyDumpFile");

    private RailConfigDecoder() {}

    /**
     * Decodes parameters that a user or an administrator wrote.
     *
     * @throws Fault where they are no configuration of ours
     */
    static RailConfig decode(JsonText parameters) throws Fault {
        OpaqueFields fields = OpaqueFields.read(parameters, FIELDS);
        exactly(fields, "apiVersion", RailDriver.API_VERSION);
        exactly(fields, "kind", RailDriver.CONFIG_KIND);
        return new RailConfig(
                mode(fields),
                fields.flag("umad", false),
                fields.flag("issm", false),
                fields.flag("nccl", true),
                value(fields, "ncclIbHca"),
                fields.number("gidIndex", LAST_GID),
                path(fields, "topologyFile"),
                fields.flag("hostTopology", true),
                debug(fields));
    }

    private static void exactly(OpaqueFields fields, String field, String wanted) throws Fault {
        String text = fields.required(field);
        if (!text.equals(wanted)) {
            throw new Fault("field \"" + field + "\" must be \"" + wanted + "\", not " + Quoted.of(text));
        }
    }

    private static RailConfig.Mode mode(OpaqueFields fields) throws Fault {
        String text = fields.text("mode");
        return text.isEmpty()
                ? RailConfig.Mode.VERBS
                : RailConfig.Mode.parse(text)
                        .orElseThrow(() ->
                                new Fault("field \"mode\" must be \"Verbs\" or \"Netdev\", not " + Quoted.of(text)));
    }

    private static SortedMap<String, String> debug(OpaqueFields fields) throws Fault {
        var variables = new TreeMap<String, String>();
        if (fields.flag("debug", false)) {
            variables.putAll(RailConfig.DEBUG_ALL);
        }
        for (Map.Entry<String, String> field : DEBUG.entrySet()) {
            value(fields, field.getKey()).ifPresent(value -> variables.put(field.getValue(), value));
        }
        return variables;
    }

    private static Optional<String> path(OpaqueFields fields, String field) throws Fault {
        Optional<String> path = value(fields, field);
        if (path.isPresent() && !path.get().startsWith("/")) {
            throw new Fault(
                    "field \"" + field + "\" must be an absolute path in the container, not " + Quoted.of(path.get()));
        }
        return path;
    }

    /** What becomes a variable of the environment: one line, printable. */
    private static Optional<String> value(OpaqueFields fields, String field) throws Fault {
        String text = fields.text(field);
        if (text.length() > LONGEST || !text.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
            throw new Fault("field \"" + field + "\" must be at most " + LONGEST + " printable ASCII characters");
        }
        return Optional.of(text).filter(value -> !value.isEmpty());
    }
}
