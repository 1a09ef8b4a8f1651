package io.imexagent.imex.health;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.Cell.Style;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The health of nvidia-imex as a document without unknown parts, and as text for people. */
public final class ImexDocument {

    private ImexDocument() {}

    /** The document. */
    public static ObjectNode of(ImexHealth health) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        Verdict verdict = health.verdict();
        ObjectNode judged = document.putObject("verdict")
                .put("severity", verdict.severity().text())
                .put("level", lower(verdict.level()))
                .put("code", verdict.code())
                .put("summary", verdict.summary());
        if (!verdict.cause().isEmpty()) {
            judged.put("cause", verdict.cause());
        }
        if (!verdict.nextStep().isEmpty()) {
            judged.put("nextStep", verdict.nextStep());
        }
        daemon(health.daemon(), document.putObject("daemon"));
        domain(health.domain(), document.putObject("domain"));
        ArrayNode faults = document.putArray("faults");
        health.faults()
                .forEach(fault -> faults.addObject()
                        .put("kind", lower(fault.kind()))
                        .put("from", fault.from())
                        .put("to", fault.to()));
        health.domain().report().ifPresent(report -> nodes(report, document.putArray("nodes")));
        ArrayNode notes = document.putArray("notes");
        health.notes().forEach(notes::add);
        return document;
    }

    private static void daemon(DaemonHealth daemon, ObjectNode document) {
        document.put("state", daemon.label());
        switch (daemon.state()) {
            case NOT_APPLICABLE, UNKNOWN, BAD_UNIT_FILE, BLOCKED -> document.put("reason", daemon.detail());
            case INACTIVE -> document.put("unitFileState", daemon.detail()).put("skipped", false);
            case SKIPPED -> document.put("unitFileState", daemon.detail()).put("skipped", true);
            case FAILED, CRASH_LOOP -> document.put("result", daemon.detail());
            case STARTING, UNREACHABLE, NOT_READY -> document.put("detail", daemon.detail());
            case NOT_INSTALLED, MASKED, WAITING_FOR_PEERS, WAITING_FOR_RECOVERY, READY, STOPPING -> {}
        }
    }

    private static void domain(DomainHealth domain, ObjectNode document) {
        document.put("state", domain.label());
        if (domain.state().isEmpty()) {
            document.put("reason", domain.reason());
        }
        domain.links().ifPresent(links -> links(links, document));
    }

    /**
     * Adds the state of the domain in nvidia-imex's word, and the nodes and connections that do not work or could not
     * be queried.
     */
    private static void links(DomainLinks links, ObjectNode document) {
        document.put("reported", links.report().state().word());
        links.missingNames().forEach(document.putArray("missing")::add);
        links.names(links.silent()).forEach(document.putArray("silent")::add);
        ArrayNode lost = document.putArray("notConnected");
        links.lost()
                .forEach(pair -> lost.addObject()
                        .put("from", links.report().name(pair.from()))
                        .put("to", links.report().name(pair.to()))
                        .put("reported", pair.words()));
    }

    private static void nodes(DomainReport report, ArrayNode nodes) {
        for (NodeReport node : report.nodes()) {
            ObjectNode document = nodes.addObject()
                    .put("index", node.index())
                    .put("address", node.address())
                    .put("state", node.state().word())
                    .put("local", report.isLocal(node));
            node.hostName().ifPresent(name -> document.put("hostName", name));
            node.version().ifPresent(version -> document.put("version", version));
            ObjectNode connections = document.putObject("connections");
            node.connections().forEach((to, state) -> connections.put(Integer.toString(to), state.word()));
        }
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** The text. */
    public static String text(ImexHealth health, Screen screen) {
        return health.domain()
                .report()
                .map(report -> Table.texts(screen, facts(health), nodes(report), matrix(report)))
                .orElseGet(() -> facts(health).text(screen));
    }

    private static Table facts(ImexHealth health) {
        Verdict verdict = health.verdict();
        Table table = Table.ofFacts().fact("verdict", Cell.of(verdict.severity(), verdict.summary()));
        if (!verdict.cause().isEmpty()) {
            table.fact("cause", verdict.cause());
        }
        if (!verdict.nextStep().isEmpty()) {
            table.fact("next step", verdict.nextStep());
        }
        DomainHealth domain = health.domain();
        table.fact("daemon", health.daemon().label().replace('_', ' '))
                .fact("domain", domain.state().isEmpty() ? "unknown: " + domain.reason() : domain.label());
        health.notes().forEach(note -> table.fact("note", Cell.warning(note)));
        return table;
    }

    private static Table nodes(DomainReport report) {
        Table table = Table.of("NODE", "ADDRESS", "NAME", "STATE", "VERSION");
        for (NodeReport node : report.nodes()) {
            table.row(
                    Cell.of(node.index() + (report.isLocal(node) ? "*" : "")),
                    Cell.of(node.address().isEmpty() ? Cell.UNKNOWN : node.address()),
                    Cell.of(node.hostName().orElse(Cell.UNKNOWN)),
                    new Cell(node.state().word(), node.ready() ? Style.GOOD : Style.BAD),
                    Cell.of(node.version().orElse(Cell.UNKNOWN)));
        }
        return table;
    }

    /** The matrix of connections in nvidia-imex-ctl's letters, with a hyphen for a pair that is not reported. */
    private static Table matrix(DomainReport report) {
        var heading = new ArrayList<String>(List.of("FROM\\TO"));
        report.nodes().forEach(node -> heading.add(Integer.toString(node.index())));
        Table table = Table.of(heading.toArray(String[]::new));
        for (NodeReport from : report.nodes()) {
            var row = new ArrayList<Cell>(List.of(Cell.of(Integer.toString(from.index()))));
            for (NodeReport to : report.nodes()) {
                row.add(report.connection(from.index(), to.index())
                        .map(state -> new Cell(
                                ConnectionState.letter(state),
                                state.is(ConnectionState.CONNECTED) ? Style.GOOD : Style.BAD))
                        .orElse(Cell.of(Cell.UNKNOWN)));
            }
            table.row(row.toArray(Cell[]::new));
        }
        return table;
    }
}
