package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * The connections in a rack: a row for each node, as that node reports them, with a letter for each node of the rack
 * and then for each of {@code others}, the addresses of its IMEX domain that belong to no node of the rack.
 *
 * <p>{@code C} connected, {@code D} degraded, {@code L} lost, {@code U} unknown, {@code -} the node itself. The row of
 * a node that does not answer is unknown, since its report is old. A connection to an
 * address that several nodes claim counts for each of them.
 */
public record LinkMatrix(List<String> rows, List<String> others) {

    static final LinkMatrix NONE = new LinkMatrix(List.of(), List.of());
    static final char SELF = '-';

    /** The most nodes of a rack with a matrix; an NVLink domain has at most 144. */
    private static final int MOST_NODES = 256;

    private static final int MOST_OTHERS = 64;

    public LinkMatrix {
        rows = List.copyOf(rows);
        others = List.copyOf(others);
    }

    static LinkMatrix of(RackAddresses addresses) {
        List<CliqueReport.ReportedNode> trays = addresses.trays();
        if (trays.size() > MOST_NODES) {
            return NONE;
        }
        List<Map<String, LinkState>> words =
                trays.stream().map(LinkMatrix::word).toList();
        Map<String, Set<Integer>> columns = new HashMap<>();
        Map<NodeIdentity, TreeSet<String>> strangers = new HashMap<>();
        words.stream().flatMap(word -> word.keySet().stream()).distinct().forEach(address -> {
            columns.put(address, addresses.named(address));
            if (addresses.fitsNone(address)) {
                strangers
                        .computeIfAbsent(NodeIdentity.of(List.of(address)), none -> new TreeSet<>())
                        .add(address);
            }
        });
        // Those that most nodes report come first, so that one node cannot replace them by others.
        List<TreeSet<String>> others = strangers.values().stream()
                .sorted(Comparator.comparingLong((TreeSet<String> called) -> -words.stream()
                                .filter(word -> called.stream().anyMatch(word::containsKey))
                                .count())
                        .thenComparing(TreeSet::first))
                .limit(MOST_OTHERS)
                .toList();
        int width = trays.size() + others.size();
        for (int column = trays.size(); column < width; column++) {
            int at = column;
            others.get(column - trays.size()).forEach(address -> columns.put(address, Set.of(at)));
        }
        List<String> rows = new ArrayList<>();
        for (int tray = 0; tray < trays.size(); tray++) {
            rows.add(row(words.get(tray), columns, width, tray));
        }
        return new LinkMatrix(rows, others.stream().map(TreeSet::first).toList());
    }

    private static Map<String, LinkState> word(CliqueReport.ReportedNode tray) {
        return tray.lost()
                ? Map.of()
                : tray.status().links().map(NodeLinks::byAddress).orElse(Map.of());
    }

    private static String row(Map<String, LinkState> word, Map<String, Set<Integer>> columns, int width, int self) {
        char[] row = new char[width];
        Arrays.fill(row, letter(LinkState.UNKNOWN));
        word.forEach((address, state) -> columns.getOrDefault(address, Set.of())
                .forEach(column -> row[column] = worse(row[column], letter(state))));
        row[self] = SELF;
        return new String(row);
    }

    private static char worse(char one, char other) {
        for (LinkState state : List.of(LinkState.LOST, LinkState.DEGRADED, LinkState.CONNECTED)) {
            if (one == letter(state) || other == letter(state)) {
                return letter(state);
            }
        }
        return letter(LinkState.UNKNOWN);
    }

    static char letter(LinkState state) {
        return switch (state) {
            case CONNECTED -> 'C';
            case DEGRADED -> 'D';
            case LOST -> 'L';
            case UNKNOWN -> 'U';
        };
    }

    /** The letter of the connection between two nodes: the worse of both reports; an unknown report does not count. */
    char between(int one, int other) {
        return worse(rows.get(one).charAt(other), rows.get(other).charAt(one));
    }

    /** The nodes that report a connection to the node or address of this column. */
    List<Integer> reporters(int column) {
        return IntStream.range(0, rows.size())
                .filter(node -> rows.get(node).charAt(column) != SELF
                        && rows.get(node).charAt(column) != letter(LinkState.UNKNOWN))
                .boxed()
                .toList();
    }

    /** Whether the nvidia-imex of a node has reported no connection. */
    boolean isSilent(int tray) {
        return rows.get(tray).chars().allMatch(letter -> letter == SELF || letter == letter(LinkState.UNKNOWN));
    }
}
