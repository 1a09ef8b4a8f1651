package io.imexagent.imex.report;

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
 * Reads the table that {@code nvidia-imex-ctl -N} prints: a legend, a line {@code Node #} for each node with stars around
 * the address of the one that was asked, the matrix of connections, and {@code Domain State:}.
 */
public final class DomainText {

    private static final String NODE = "Node #";
    private static final String MATRIX = "Nodes From\\To";
    private static final String DOMAIN = "Domain State:";
    private static final String VERSION = "Version:";

    private final Map<Integer, NodeReport> nodes = new TreeMap<>();
    private final Map<Integer, SortedMap<Integer, ConnectionState>> connections = new HashMap<>();
    private OptionalInt local = OptionalInt.empty();
    private Optional<DomainState> state = Optional.empty();
    private List<Integer> columns = List.of();

    private DomainText() {}

    /** The report in the text. Never throws, whatever it is. */
    public static Parsed<DomainReport> parse(String output) {
        var reading = new DomainText();
        // A listing that went through a browser has other blanks.
        List<String> lines =
                output.replace('\u00a0', ' ').lines().map(String::strip).toList();
        for (String line : lines) {
            Optional<String> fault = reading.line(line);
            if (fault.isPresent()) {
                return new Parsed.Unreadable<>(Printable.line(fault.get()));
            }
        }
        return reading.report();
    }

    private Parsed<DomainReport> report() {
        if (state.isEmpty()) {
            return new Parsed.Unreadable<>("it ends without a line \"" + DOMAIN + "\"");
        }
        var reported = new ArrayList<NodeReport>();
        for (NodeReport node : nodes.values()) {
            reported.add(new NodeReport(
                    node.index(),
                    node.address(),
                    node.hostName(),
                    node.state(),
                    node.version(),
                    Optional.ofNullable(connections.remove(node.index())).orElseGet(TreeMap::new)));
        }
        return connections.isEmpty()
                ? new Parsed.Read<>(new DomainReport(reported, state.get(), local))
                : new Parsed.Unreadable<>("its matrix has nodes that it does not list: " + connections.keySet());
    }

    /** Takes a line; gives what is wrong with it. Lines without a meaning here are passed over. */
    private Optional<String> line(String line) {
        if (line.startsWith(NODE)) {
            columns = List.of();
            return node(line.substring(NODE.length()));
        }
        if (line.startsWith(MATRIX)) {
            return heading(line.substring(MATRIX.length()));
        }
        if (line.startsWith(DOMAIN)) {
            columns = List.of();
            state = Optional.of(line.substring(DOMAIN.length()).strip())
                    .filter(word -> !word.isEmpty())
                    .map(DomainState::of);
            return Optional.empty();
        }
        return columns.isEmpty() || line.isEmpty() ? Optional.empty() : row(line);
    }

    private Optional<String> node(String text) {
        int end = 0;
        while (end < text.length() && Character.isDigit(text.charAt(end))) {
            end++;
        }
        OptionalInt index = index(text.substring(0, end));
        if (index.isEmpty()) {
            return Optional.of("a line of a node has no number: " + text);
        }
        String rest = text.substring(end).strip();
        boolean marked = rest.startsWith("*");
        List<String> fields = marked ? markedFields(rest) : fields(rest);
        if (fields.size() < 2) {
            return Optional.of("the line of node " + index.getAsInt() + " is cut off: " + text);
        }
        if (marked) {
            local = index;
        }
        var node = new NodeReport(
                index.getAsInt(),
                fields.get(0),
                Optional.empty(),
                DaemonState.of(fields.get(1)),
                version(fields),
                new TreeMap<>());
        return nodes.put(index.getAsInt(), node) == null
                ? Optional.empty()
                : Optional.of("it has node " + index.getAsInt() + " twice");
    }

    /** {@code * address * - STATE - Version: x}. */
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

    /** {@code - address - STATE - Version: x}: fields after hyphens that stand alone. */
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

    private Optional<String> heading(String text) {
        var read = new ArrayList<Integer>();
        for (String word : words(text)) {
            OptionalInt index = index(word);
            if (index.isEmpty()) {
                return Optional.of("the heading of its matrix has \"" + word + "\" for a node");
            }
            read.add(index.getAsInt());
        }
        columns = List.copyOf(read);
        return Optional.empty();
    }

    private Optional<String> row(String line) {
        List<String> words = words(line);
        OptionalInt from = index(words.getFirst());
        if (from.isEmpty()) {
            columns = List.of();
            return Optional.empty();
        }
        if (words.size() != columns.size() + 1) {
            return Optional.of("the matrix has " + (words.size() - 1) + " connections of node " + from.getAsInt()
                    + ", and " + columns.size() + " columns");
        }
        SortedMap<Integer, ConnectionState> row =
                connections.computeIfAbsent(from.getAsInt(), index -> new TreeMap<>());
        for (int column = 0; column < columns.size(); column++) {
            row.put(columns.get(column), ConnectionState.ofLetter(words.get(column + 1)));
        }
        return Optional.empty();
    }

    private static List<String> words(String line) {
        return Arrays.stream(line.split("\\s+")).filter(word -> !word.isEmpty()).toList();
    }

    private static OptionalInt index(String digits) {
        boolean fits = !digits.isEmpty()
                && digits.length() <= 4
                && digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(digits) <= DomainReport.LARGEST_INDEX;
        return fits ? OptionalInt.of(Integer.parseInt(digits)) : OptionalInt.empty();
    }
}
