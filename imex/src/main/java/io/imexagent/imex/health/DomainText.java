package io.imexagent.imex.health;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Parses the table of {@code nvidia-imex-ctl -N}: a legend, a line {@code Node #} for each node with stars around the
 * address of the local one, the matrix of connections, and {@code Domain State:}.
 */
public final class DomainText {

    private static final String NODE = "Node #";
    private static final String MATRIX = "Nodes From\\To";
    private static final String DOMAIN = "Domain State:";
    private static final String VERSION = "Version:";

    private final SortedMap<Integer, List<String>> nodes = new TreeMap<>();
    private final Map<Integer, SortedMap<Integer, PrintedState<ConnectionState>>> connections = new HashMap<>();
    private OptionalInt local = OptionalInt.empty();
    private Optional<PrintedState<DomainState>> state = Optional.empty();
    private List<Integer> columns = List.of();

    private DomainText() {}

    public static DomainReport parse(String output) throws MalformedReport {
        var reading = new DomainText();
        // A listing that was copied from a browser has non-breaking spaces.
        for (String line : output.replace('\u00a0', ' ').lines().toList()) {
            reading.line(line.strip());
        }
        return reading.report();
    }

    private DomainReport report() throws MalformedReport {
        PrintedState<DomainState> printed =
                state.orElseThrow(() -> new MalformedReport("it ends without a line \"" + DOMAIN + "\""));
        var reported = new ArrayList<NodeReport>();
        nodes.forEach((index, fields) -> reported.add(new NodeReport(
                index,
                fields.get(0),
                Optional.empty(),
                PrintedState.of(fields.get(1), DaemonState.values()),
                version(fields),
                Optional.ofNullable(connections.remove(index)).orElseGet(TreeMap::new))));
        if (!connections.isEmpty()) {
            throw new MalformedReport("its matrix has nodes that it does not list: " + connections.keySet());
        }
        return new DomainReport(reported, printed, local);
    }

    /** Parses a line. Lines that have no meaning here are skipped. */
    private void line(String line) throws MalformedReport {
        if (line.startsWith(NODE)) {
            columns = List.of();
            node(line.substring(NODE.length()));
        } else if (line.startsWith(MATRIX)) {
            heading(line.substring(MATRIX.length()));
        } else if (line.startsWith(DOMAIN)) {
            columns = List.of();
            state = Optional.of(line.substring(DOMAIN.length()).strip())
                    .filter(word -> !word.isEmpty())
                    .map(word -> PrintedState.of(word, DomainState.values()));
        } else if (!columns.isEmpty() && !line.isEmpty()) {
            row(line);
        }
    }

    private void node(String text) throws MalformedReport {
        int end = 0;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        int index = DomainReport.index(text.substring(0, end))
                .orElseThrow(() -> new MalformedReport("a line of a node has no number: " + text));
        String rest = text.substring(end).strip();
        boolean marked = rest.startsWith("*");
        List<String> fields = marked ? markedFields(rest) : fields(rest);
        if (fields.size() < 2) {
            throw new MalformedReport("the line of node " + index + " is cut off: " + text);
        }
        if (marked) {
            local = OptionalInt.of(index);
        }
        if (nodes.put(index, fields) != null) {
            throw new MalformedReport("it has node " + index + " twice");
        }
    }

    /** The fields of a local node's line: {@code * address * - STATE - Version: x}. */
    private static List<String> markedFields(String rest) {
        int end = rest.indexOf('*', 1);
        if (end < 0) {
            return List.of();
        }
        var fields = new ArrayList<String>();
        fields.add(rest.substring(1, end).strip());
        fields.addAll(fields(rest.substring(end + 1).strip()));
        return fields;
    }

    /** The fields of another node's line, each after a separate hyphen: {@code - address - STATE - Version: x}. */
    private static List<String> fields(String rest) {
        return Arrays.stream(rest.split("(?:^|\\s)-(?:\\s|$)", -1))
                .map(String::strip)
                .filter(field -> !field.isEmpty())
                .toList();
    }

    private static Optional<String> version(List<String> fields) {
        return fields.stream()
                .filter(field -> field.startsWith(VERSION))
                .map(field -> field.substring(VERSION.length()).strip())
                .filter(version -> !version.isEmpty())
                .findFirst();
    }

    private void heading(String text) throws MalformedReport {
        var read = new ArrayList<Integer>();
        for (String word : words(text)) {
            read.add(DomainReport.index(word)
                    .orElseThrow(
                            () -> new MalformedReport("the heading of its matrix has \"" + word + "\" for a node")));
        }
        columns = read;
    }

    private void row(String line) throws MalformedReport {
        List<String> words = words(line);
        OptionalInt from = DomainReport.index(words.getFirst());
        if (from.isEmpty()) {
            columns = List.of();
            return;
        }
        if (words.size() != columns.size() + 1) {
            throw new MalformedReport("the matrix has " + (words.size() - 1) + " connections of node " + from.getAsInt()
                    + ", and " + columns.size() + " columns");
        }
        SortedMap<Integer, PrintedState<ConnectionState>> row =
                connections.computeIfAbsent(from.getAsInt(), index -> new TreeMap<>());
        for (int column = 0; column < columns.size(); column++) {
            row.put(columns.get(column), ConnectionState.ofLetter(words.get(column + 1)));
        }
    }

    private static List<String> words(String line) {
        return Arrays.stream(line.split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }
}
