package io.imexagent.imex.document;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.imex.health.DaemonHealth;
import io.imexagent.imex.health.DomainHealth;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.Verdict;
import io.imexagent.imex.report.ConnectionState;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.report.NodeReport;
import java.util.List;
import java.util.Locale;

/** The health of nvidia-imex as a document; what nobody could tell is left out. */
public final class ImexDocument {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ImexDocument() {}

    /** The document. */
    public static ObjectNode of(ImexHealth health) {
        ObjectNode document = NODES.objectNode().put("at", health.at().toString());
        document.set("verdict", verdict(health.verdict()));
        document.set("daemon", daemon(health.daemon()));
        document.set("domain", domain(health.domain()));
        ArrayNode faults = document.putArray("faults");
        health.faults()
                .forEach(fault -> faults.addObject()
                        .put("kind", lower(fault.kind()))
                        .put("from", fault.from())
                        .put("to", fault.to()));
        health.report().ifPresent(report -> document.set("nodes", nodes(report)));
        ArrayNode notes = document.putArray("notes");
        health.notes().forEach(notes::add);
        return document;
    }

    private static ObjectNode verdict(Verdict verdict) {
        ObjectNode document = NODES.objectNode()
                .put("level", lower(verdict.level()))
                .put("code", verdict.code())
                .put("summary", verdict.summary());
        if (!verdict.cause().isEmpty()) {
            document.put("cause", verdict.cause());
        }
        if (!verdict.nextStep().isEmpty()) {
            document.put("nextStep", verdict.nextStep());
        }
        return document;
    }

    private static ObjectNode daemon(DaemonHealth daemon) {
        ObjectNode document = NODES.objectNode().put("state", daemon.label());
        switch (daemon) {
            case DaemonHealth.NotApplicable(String reason) -> document.put("reason", reason);
            case DaemonHealth.Inactive(String fileState, boolean skipped) ->
                document.put("unitFileState", fileState).put("skipped", skipped);
            case DaemonHealth.Failed(String result) -> document.put("result", result);
            case DaemonHealth.Starting(String detail) -> document.put("detail", detail);
            case DaemonHealth.Unreachable(String detail) -> document.put("detail", detail);
            case DaemonHealth.NotReady not -> document.put("detail", not.state().word());
            case DaemonHealth.Unknown(String reason) -> document.put("reason", reason);
            case DaemonHealth.NotInstalled _,
                    DaemonHealth.Masked _,
                    DaemonHealth.WaitingForPeers _,
                    DaemonHealth.WaitingForRecovery _,
                    DaemonHealth.Ready _,
                    DaemonHealth.Stopping _ -> {}
        }
        return document;
    }

    private static ObjectNode domain(DomainHealth domain) {
        ObjectNode document = NODES.objectNode().put("state", domain.label());
        switch (domain) {
            case DomainHealth.NotTold(String reason) -> document.put("reason", reason);
            case DomainHealth.Up up -> {}
            case DomainHealth.Degraded(List<String> missing) -> document.set("missing", texts(missing));
            case DomainHealth.Down(List<String> missing) -> document.set("missing", texts(missing));
        }
        return document;
    }

    private static ArrayNode nodes(DomainReport report) {
        ArrayNode nodes = NODES.arrayNode();
        for (NodeReport node : report.nodes()) {
            ObjectNode document = nodes.addObject()
                    .put("index", node.index())
                    .put("address", node.address())
                    .put("state", node.state().word())
                    .put("local", report.isLocal(node));
            node.hostName().ifPresent(name -> document.put("hostName", name));
            node.version().ifPresent(version -> document.put("version", version));
            ObjectNode connections = document.putObject("connections");
            node.connections().forEach((to, state) -> connections.put(Integer.toString(to), word(state)));
        }
        return nodes;
    }

    private static String word(ConnectionState state) {
        return state instanceof ConnectionState.Known known ? known.name() : state.letter();
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static ArrayNode texts(List<String> texts) {
        ArrayNode array = NODES.arrayNode();
        texts.forEach(array::add);
        return array;
    }
}
