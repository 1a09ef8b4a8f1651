package io.imexagent.fabric.result;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.text.Cell;
import io.imexagent.core.text.NameList;
import io.imexagent.core.text.Screen;
import io.imexagent.core.text.Table;
import io.imexagent.fabric.result.Blame.BlamedDomain;
import io.imexagent.fabric.result.Blame.BlamedExporter;
import io.imexagent.fabric.result.Blame.BlamedImporter;
import io.imexagent.fabric.result.Blame.BlamedNode;
import io.imexagent.fabric.result.Blame.BlamedPair;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.NodeEvidence.NodeRow;
import io.imexagent.host.json.JsonTrees;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Formats a result as text for people, and as a document for programs. */
public final class FabricDocument {

    private static final String LEGEND =
            "+ proven   F failed   T hung, process killed   . not tried   - the node itself\n";

    /** The width of the text if the output is not a terminal. */
    private static final int COLUMNS = 80;

    private static final int NARROWEST = 18;
    private static final int LONGEST_NAME = 40;
    private static final int MOST_LINES = 20;

    private FabricDocument() {}

    /** Returns the matrix, the failures with their causes, and the verdict. */
    public static String text(FabricResult result, Screen screen) {
        var text = new StringBuilder();
        text.append("Imports in clique ")
                .append(result.run().clique())
                .append(", level ")
                .append(result.run().level())
                .append(":\nrows import, columns export, numbered as the rows.\n\n");
        matrix(result, screen, text);
        text.append('\n').append(LEGEND);
        failures(result, text);
        absences(result, text);
        blamed(result, text);
        contradictions(result, text);
        lines(
                text,
                result.unchecked().stream()
                        .map(why -> "not known: whether a node was rebooted, replaced or had its nvidia-imex restarted"
                                + " during the run: " + why)
                        .toList());
        text.append('\n').append(verdict(result)).append('\n');
        return text.toString();
    }

    private static void matrix(FabricResult result, Screen screen, StringBuilder text) {
        int nodes = result.nodes().size();
        int digits = Integer.toString(nodes).length();
        int longest = 0;
        for (int node = 0; node < nodes; node++) {
            longest = Math.max(longest, name(result, node).length());
        }
        int head = digits + 2 + longest + 2;
        int room = Math.max(screen.columns().orElse(COLUMNS) - head, NARROWEST);
        for (int from = 0; from < nodes; from += room) {
            int to = Math.min(from + room, nodes);
            text.append(from == 0 ? "" : "\n");
            for (int place = 1; place <= digits; place++) {
                text.append(" ".repeat(head));
                for (int column = from; column < to; column++) {
                    text.append(String.format("%" + digits + "d", column + 1).charAt(place - 1));
                }
                trim(text);
                text.append('\n');
            }
            for (int row = 0; row < nodes; row++) {
                text.append(String.format("%" + digits + "d  %-" + longest + "s  ", row + 1, name(result, row)));
                for (int column = from; column < to; column++) {
                    text.append(letter(result, row, column, screen));
                }
                text.append('\n');
            }
        }
    }

    private static void trim(StringBuilder text) {
        while (!text.isEmpty() && text.charAt(text.length() - 1) == ' ') {
            text.setLength(text.length() - 1);
        }
    }

    private static String letter(FabricResult result, int row, int column, Screen screen) {
        if (row == column) {
            return "-";
        }
        PairState state = result.state(new NodeImport(row, column));
        String letter = String.valueOf(state.letter());
        Cell cell = switch (state) {
            case PairState.ProvenPair _ -> Cell.good(letter);
            case PairState.FailedPair _, PairState.TimedOutPair _ -> Cell.bad(letter);
            case PairState.UntriedPair _ -> Cell.warning(letter);
        };
        return Table.ofFacts().row(cell).text(screen).strip();
    }

    private static String name(FabricResult result, int node) {
        String name = result.name(node);
        return name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME - 1) + "~";
    }

    /** Appends the failed and untried imports between nodes that took part, grouped by their reasons. */
    private static void failures(FabricResult result, StringBuilder text) {
        Map<String, List<String>> imports = new LinkedHashMap<>();
        result.imports()
                .filter(one -> !(result.state(one) instanceof PairState.ProvenPair)
                        && result.absence(one.importer()).isEmpty()
                        && result.absence(one.exporter()).isEmpty())
                .forEach(one -> imports.computeIfAbsent(
                                result.state(one).text() + ": "
                                        + result.state(one).reason(),
                                none -> new ArrayList<>())
                        .add(name(result, one.importer()) + " from " + name(result, one.exporter())));
        lines(
                text,
                imports.entrySet().stream()
                        .map(words -> words.getKey() + " (" + NameList.some(words.getValue(), 2) + ")")
                        .toList());
    }

    private static void absences(FabricResult result, StringBuilder text) {
        Map<String, List<String>> absent = new LinkedHashMap<>();
        for (int node = 0; node < result.nodes().size(); node++) {
            String name = name(result, node);
            result.absence(node)
                    .ifPresent(why -> absent.computeIfAbsent(why, none -> new ArrayList<>())
                            .add(name));
        }
        lines(
                text,
                absent.entrySet().stream()
                        .map(why -> "took no part: " + NameList.some(why.getValue(), 4) + ": " + why.getKey())
                        .toList());
    }

    private static void blamed(FabricResult result, StringBuilder text) {
        lines(
                text,
                result.blame().stream()
                        .map(blame -> "to blame: " + words(blame, result))
                        .toList());
    }

    private static void contradictions(FabricResult result, StringBuilder text) {
        lines(
                text,
                result.contradictions().stream()
                        .map(one -> "status says connected, import fails: " + name(result, one.importer()) + " from "
                                + name(result, one.exporter()))
                        .toList());
    }

    private static void lines(StringBuilder text, List<String> lines) {
        if (lines.isEmpty()) {
            return;
        }
        text.append('\n');
        lines.stream().limit(MOST_LINES).forEach(line -> text.append(line).append('\n'));
        if (lines.size() > MOST_LINES) {
            text.append("and ").append(lines.size() - MOST_LINES).append(" more; -o json lists all\n");
        }
    }

    /** Returns the cause as a sentence without its full stop. */
    static String words(Blame blame, FabricResult result) {
        return switch (blame) {
            case BlamedDomain _ ->
                "the channel or the IMEX domain: no import works; look at imex-agent health on any of the nodes, and at"
                        + " the ComputeDomain of the run";
            case BlamedImporter(int node) ->
                result.name(node) + ", which imports from no node: look at nvidia-imex there (imex-agent health)";
            case BlamedExporter(int node) ->
                result.name(node) + ", from which no node imports: look at nvidia-imex there (imex-agent health)";
            case BlamedNode(int node) ->
                result.name(node)
                        + ", which neither imports nor exports: look at nvidia-imex there (imex-agent health)";
            case BlamedPair(int importer, int exporter) ->
                "the pair " + result.name(importer) + " from " + result.name(exporter)
                        + ", whose other imports work: compare nodes_config.cfg of both";
        };
    }

    private static String verdict(FabricResult result) {
        int nodes = result.nodes().size();
        long proven = result.imports()
                .filter(one -> result.state(one) instanceof PairState.ProvenPair)
                .count();
        String counts = proven + " of " + nodes * (nodes - 1) + " imports between " + nodes + " nodes are proven";
        return switch (result.verdict()) {
            case PROVEN -> "Proven: all " + nodes * (nodes - 1) + " imports between " + nodes + " nodes work.";
            case PARTLY_PROVEN ->
                "Partly proven: what was tried works, and "
                        + (proven < (long) nodes * (nodes - 1)
                                ? "some was not tried; "
                                : "whether the nodes stayed the same is not known; ")
                        + counts + ".";
            case FAILED -> {
                if (result.participants() < 2) {
                    yield "Failed: fewer than two nodes took part; nothing is proven.";
                }
                yield result.tried() ? "Failed: " + counts + "." : "Failed: no import was tried; nothing is proven.";
            }
        };
    }

    /** Returns the result as a document. */
    public static ObjectNode of(FabricResult result) {
        ObjectNode document = JsonTrees.object()
                .put("at", result.at().toString())
                .put("run", result.run().id())
                .put("namespace", result.run().namespace())
                .put("clique", result.run().clique())
                .put("level", result.run().level())
                .put("verdict", result.verdict().text());
        result.unchecked().ifPresent(why -> document.put("identitiesNotRead", why));
        ArrayNode nodes = document.putArray("nodes");
        for (int node = 0; node < result.nodes().size(); node++) {
            node(nodes.addObject(), result, node);
        }
        ArrayNode imports = document.putArray("imports");
        result.imports().forEach(one -> {
            PairState state = result.state(one);
            ObjectNode written = imports.addObject()
                    .put("importer", result.name(one.importer()))
                    .put("exporter", result.name(one.exporter()))
                    .put("state", state.text())
                    .put(
                            "status",
                            result.status()
                                    .between(one.importer(), one.exporter())
                                    .text());
            if (!state.reason().isEmpty()) {
                written.put("reason", state.reason());
            }
            if (state instanceof PairState.FailedPair(String step, int code, String _)) {
                written.put("step", step).put("code", code);
            }
        });
        ArrayNode blame = document.putArray("blame");
        result.blame().forEach(one -> blame(blame.addObject(), one, result));
        ArrayNode contradictions = document.putArray("contradictions");
        result.contradictions()
                .forEach(one -> contradictions
                        .addObject()
                        .put("importer", result.name(one.importer()))
                        .put("exporter", result.name(one.exporter())));
        return document;
    }

    private static void node(ObjectNode written, FabricResult result, int node) {
        TestedNode tested = result.nodes().get(node).node();
        written.put("name", tested.name());
        written.put("uid", tested.identity().uid());
        tested.boot().ifPresent(boot -> written.put("bootID", boot));
        tested.identity().imexStart().ifPresent(start -> written.put("imexStart", start));
        tested.identity().driver().ifPresent(driver -> written.put("driver", driver));
        written.put("tookPart", result.absence(node).isEmpty());
        result.absence(node).ifPresent(reason -> written.put("reason", reason));
        if (result.nodes().get(node) instanceof NodeRow(TestedNode _, RankRow row)) {
            written.put("rank", row.rank());
            ArrayNode gpus = written.putArray("gpus");
            row.gpus().forEach(gpu -> gpus.add(gpu.uuid()));
        }
    }

    private static void blame(ObjectNode written, Blame blame, FabricResult result) {
        switch (blame) {
            case BlamedDomain _ -> written.put("what", "domain");
            case BlamedImporter(int node) -> written.put("what", "importer").put("node", result.name(node));
            case BlamedExporter(int node) -> written.put("what", "exporter").put("node", result.name(node));
            case BlamedNode(int node) -> written.put("what", "node").put("node", result.name(node));
            case BlamedPair(int importer, int exporter) ->
                written.put("what", "pair")
                        .put("importer", result.name(importer))
                        .put("exporter", result.name(exporter));
        }
        written.put("words", words(blame, result));
    }
}
