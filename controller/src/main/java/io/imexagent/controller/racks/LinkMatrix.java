package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.inventory.NodeDirectory;
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

/**
 * The connections in a rack: a row for each node, as that node reports them, with a letter for each node of the rack
 * and then for each of {@code others}, the addresses of its IMEX domain that belong to no node of the rack.
 *
 * <p>{@code C} connected, {@code D} degraded, {@code L} lost, {@code U} unknown, {@code -} the node itself. The row of
 * a node that does not answer is unknown, since its report is old. Connections to two nodes that claim one address are
 * unknown.
 */
public record LinkMatrix(List<String> rows, List<String> others) {

    static final LinkMatrix NONE = new LinkMatrix(List.of(), List.of());
    static final char SELF = '-';

    /** The most nodes of a rack with a matrix; an NVLink domain has at most 144. */
    private static final int MOST_NODES = 256;

    private static final int MOST_OTHERS = 64;
    private static final int AMBIGUOUS = -1;

    public LinkMatrix {
        rows = List.copyOf(rows);
        others = List.copyOf(others);
    }

    static LinkMatrix of(List<CliqueReport.ReportedNode> trays) {
        if (trays.size() > MOST_NODES) {
            return NONE;
        }
        // A file of nodes may contain names of Nodes instead of addresses, both in other spellings.
        var directory = new NodeDirectory(
                trays.stream().map(tray -> tray.status().identity(tray.name())).toList());
        List<Map<String, LinkState>> words =
                trays.stream().map(LinkMatrix::word).toList();
        Map<String, Integer> columns = new HashMap<>();
        Map<NodeIdentity, TreeSet<String>> strangers = new HashMap<>();
        words.stream().flatMap(word -> word.keySet().stream()).distinct().forEach(address -> {
            NodeIdentity called = NodeIdentity.of(List.of(address));
            Set<Integer> fitting = directory.fitting(called);
            if (fitting.isEmpty()) {
                strangers.computeIfAbsent(called, none -> new TreeSet<>()).add(address);
            } else {
                columns.put(address, fitting.size() == 1 ? fitting.iterator().next() : AMBIGUOUS);
            }
        });
        List<TreeSet<String>> others = strangers.values().stream()
                .sorted(Comparator.comparing(TreeSet::first))
                .limit(MOST_OTHERS)
                .toList();
        int width = trays.size() + others.size();
        for (int column = trays.size(); column < width; column++) {
            int at = column;
            others.get(column - trays.size()).forEach(address -> columns.put(address, at));
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

    private static String row(Map<String, LinkState> word, Map<String, Integer> columns, int width, int self) {
        char[] row = new char[width];
        Arrays.fill(row, letter(LinkState.UNKNOWN));
        word.forEach((address, state) -> {
            int column = columns.getOrDefault(address, AMBIGUOUS);
            if (column != AMBIGUOUS) {
                row[column] = letter(state);
            }
        });
        row[self] = SELF;
        return new String(row);
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
        String words = "" + rows.get(one).charAt(other) + rows.get(other).charAt(one);
        for (LinkState state : List.of(LinkState.LOST, LinkState.DEGRADED, LinkState.CONNECTED)) {
            if (words.indexOf(letter(state)) >= 0) {
                return letter(state);
            }
        }
        return letter(LinkState.UNKNOWN);
    }

    /** Whether the nvidia-imex of a node has reported no connection. */
    boolean isSilent(int tray) {
        return rows.get(tray).chars().allMatch(letter -> letter == SELF || letter == letter(LinkState.UNKNOWN));
    }
}
