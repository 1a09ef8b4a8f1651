package io.imexagent.fabric.result;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The cause of imports that did not succeed. Nodes are identified by their row in the matrix. */
public sealed interface Blame {

    /** All tried imports failed: the cause is the channel, or the IMEX domain. */
    record BlamedDomain() implements Blame {}

    /** All imports by this node failed. */
    record BlamedImporter(int node) implements Blame {}

    /** All imports from this node failed. */
    record BlamedExporter(int node) implements Blame {}

    /** All imports by this node and from it failed. */
    record BlamedNode(int node) implements Blame {}

    /** The import of one node from one other failed, and neither node explains it. */
    record BlamedPair(int importer, int exporter) implements Blame {}

    /**
     * Returns the smallest list of causes that explains every failed or hung import. A row or a column can only be a
     * cause if all its tried imports are bad, and at least two.
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
