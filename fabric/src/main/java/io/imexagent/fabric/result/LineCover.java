package io.imexagent.fabric.result;

import io.imexagent.fabric.result.Blame.BlamedExporter;
import io.imexagent.fabric.result.Blame.BlamedImporter;
import io.imexagent.fabric.result.Blame.BlamedNode;
import io.imexagent.fabric.result.Blame.BlamedPair;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the smallest set of bad rows and columns that together contain all explainable bad imports, which are those in
 * at least one bad row or column. By Kőnig's theorem, a smallest cover of a bipartite graph is as large as its largest
 * matching. The vertices are the rows on the left and the columns on the right. For an import that only one line
 * explains, a vertex of its own replaces the other line.
 */
final class LineCover {

    private final List<List<Integer>> columnsOf = new ArrayList<>();
    private final Map<Integer, Integer> rowOf = new HashMap<>();
    private final Map<Integer, Integer> columnOf = new HashMap<>();
    private final List<BlamedPair> pairs = new ArrayList<>();
    private final int nodes;

    LineCover(boolean[][] bad, Set<Integer> rows, Set<Integer> columns) {
        nodes = bad.length;
        for (int row = 0; row < nodes; row++) {
            columnsOf.add(new ArrayList<>());
        }
        int own = nodes;
        for (int row = 0; row < nodes; row++) {
            for (int column = 0; column < nodes; column++) {
                if (!bad[row][column]) {
                    continue;
                }
                boolean byRow = rows.contains(row);
                boolean byColumn = columns.contains(column);
                if (byRow) {
                    columnsOf.get(row).add(byColumn ? column : own++);
                } else if (byColumn) {
                    columnsOf.add(new ArrayList<>(List.of(column)));
                } else {
                    pairs.add(new BlamedPair(row, column));
                }
            }
        }
        for (int row = 0; row < columnsOf.size(); row++) {
            augment(row, new BitSet());
        }
    }

    /** Kuhn's algorithm for a largest matching; the recursion is at most as deep as the number of columns. */
    private boolean augment(int row, BitSet seen) {
        for (int column : columnsOf.get(row)) {
            if (!seen.get(column)) {
                seen.set(column);
                Integer other = rowOf.get(column);
                if (other == null || augment(other, seen)) {
                    rowOf.put(column, row);
                    columnOf.put(row, column);
                    return true;
                }
            }
        }
        return false;
    }

    List<Blame> blame() {
        var reachedRows = new BitSet();
        var reachedColumns = new BitSet();
        for (int row = 0; row < columnsOf.size(); row++) {
            if (!columnOf.containsKey(row)) {
                reach(row, reachedRows, reachedColumns);
            }
        }
        var rows = new BitSet();
        var columns = new BitSet();
        for (int row = 0; row < columnsOf.size(); row++) {
            // A vertex of an import is replaced by the only line that explains the import.
            if (reachedRows.get(row) || row >= nodes) {
                columnsOf.get(row).forEach(columns::set);
            } else if (!columnsOf.get(row).isEmpty()) {
                rows.set(row);
            }
        }
        // Vertices of imports on the columns' side are replaced by their row.
        for (int row = 0; row < nodes; row++) {
            if (columnsOf.get(row).stream().anyMatch(column -> column >= nodes)) {
                rows.set(row);
            }
        }
        List<Blame> all = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            if (rows.get(node) && columns.get(node)) {
                all.add(new BlamedNode(node));
            } else if (rows.get(node)) {
                all.add(new BlamedImporter(node));
            } else if (columns.get(node)) {
                all.add(new BlamedExporter(node));
            }
        }
        all.addAll(pairs);
        return all;
    }

    private void reach(int row, BitSet rows, BitSet columns) {
        if (rows.get(row)) {
            return;
        }
        rows.set(row);
        for (int column : columnsOf.get(row)) {
            if (!columns.get(column)) {
                columns.set(column);
                Integer other = rowOf.get(column);
                if (other != null) {
                    reach(other, rows, columns);
                }
            }
        }
    }
}
