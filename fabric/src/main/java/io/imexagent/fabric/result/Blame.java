package io.imexagent.fabric.result;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who is to blame for imports that did not succeed. Nodes are numbers of rows. */
public sealed interface Blame {

    /** Nothing works that was tried: the channel, or the IMEX domain. */
    record BlamedDomain() implements Blame {}

    /** No import of this node works. */
    record BlamedImporter(int node) implements Blame {}

    /** No import from this node works. */
    record BlamedExporter(int node) implements Blame {}

    /** Neither works. */
    record BlamedNode(int node) implements Blame {}

    /** The import of one node from one other does not work, and others of both do. */
    record BlamedPair(int importer, int exporter) implements Blame {}

    /**
     * The fewest of these that explain every failed or hung import. A row or a column is blamed where all that was tried
     * in it is bad, and that is more than one import.
     */
    static List<Blame> of(List<List<PairState>> matrix) {
        int nodes = matrix.size();
        boolean[][] bad = new boolean[nodes][nodes];
        int[] triedInRow = new int[nodes];
        int[] triedInColumn = new int[nodes];
        int[] badInRow = new int[nodes];
        int[] badInColumn = new int[nodes];
        int tried = 0;
        int failed = 0;
        for (int row = 0; row < nodes; row++) {
            for (int column = 0; column < nodes; column++) {
                PairState state = matrix.get(row).get(column);
                if (row == column || state instanceof PairState.UntriedPair) {
                    continue;
                }
                tried++;
                triedInRow[row]++;
                triedInColumn[column]++;
                if (state.isBad()) {
                    bad[row][column] = true;
                    failed++;
                    badInRow[row]++;
                    badInColumn[column]++;
                }
            }
        }
        if (failed > 1 && failed == tried) {
            return List.of(new BlamedDomain());
        }
        Set<Integer> rows = whole(triedInRow, badInRow);
        Set<Integer> columns = whole(triedInColumn, badInColumn);
        return new LineCover(bad, rows, columns).blame();
    }

    private static Set<Integer> whole(int[] tried, int[] bad) {
        Set<Integer> whole = new HashSet<>();
        for (int line = 0; line < tried.length; line++) {
            if (bad[line] > 1 && bad[line] == tried[line]) {
                whole.add(line);
            }
        }
        return whole;
    }
}
