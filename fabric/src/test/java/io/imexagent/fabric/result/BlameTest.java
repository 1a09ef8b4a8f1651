package io.imexagent.fabric.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.fabric.result.Blame.BlamedDomain;
import io.imexagent.fabric.result.Blame.BlamedExporter;
import io.imexagent.fabric.result.Blame.BlamedImporter;
import io.imexagent.fabric.result.Blame.BlamedNode;
import io.imexagent.fabric.result.Blame.BlamedPair;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.junit.jupiter.api.Test;

final class BlameTest {

    @Test
    void blamesTheImporterOfAWholeRow() {
        assertThat(blame("-+++", "F-FF", "++-+", "+++-")).containsExactly(new BlamedImporter(1));
    }

    @Test
    void blamesTheExporterOfAWholeColumn() {
        assertThat(blame("-+T+", "+-T+", "++-+", "++T-")).containsExactly(new BlamedExporter(2));
    }

    @Test
    void blamesANodeWhoseRowAndColumnAreBad() {
        assertThat(blame("-F++", "F-FF", "+F-+", "+F+-")).containsExactly(new BlamedNode(1));
    }

    @Test
    void blamesThePairOfOneCell() {
        assertThat(blame("-++", "+-F", "++-")).containsExactly(new BlamedPair(1, 2));
    }

    @Test
    void blamesTheDomainWhereNothingWorksThatWasTried() {
        assertThat(blame("-FF.", "F-F.", "FT-.", "...-")).containsExactly(new BlamedDomain());
    }

    @Test
    void blamesNothingForWhatWasNotTried() {
        assertThat(blame("-+.", "+-.", "..-")).isEmpty();
    }

    @Test
    void blamesAnImporterAndAnotherExporterTogether() {
        assertThat(blame("-FFFF", "+-+F+", "++-F+", "+++-+", "+++F-"))
                .containsExactly(new BlamedImporter(0), new BlamedExporter(3));
    }

    @Property(tries = 3000)
    void explainsEveryBadImportAndNoOther(@ForAll("matrices") List<String> rows) {
        List<Blame> blame = Blame.of(matrix(rows));

        for (int row = 0; row < rows.size(); row++) {
            for (int column = 0; column < rows.size(); column++) {
                boolean bad = "FT".indexOf(rows.get(row).charAt(column)) >= 0;
                boolean explained = explained(blame, row, column);
                assertThat(explained || !bad).as("%s of %s", blame, rows).isTrue();
                if (rows.get(row).charAt(column) == '+') {
                    assertThat(explained).as("%s of %s", blame, rows).isFalse();
                }
            }
        }
    }

    /** Against every choice of whole lines, with each import that they leave as a pair. */
    @Property(tries = 2000)
    void blamesNoMoreThanItMust(@ForAll("matrices") List<String> rows) {
        List<Blame> blame = Blame.of(matrix(rows));
        if (blame.contains(new BlamedDomain())) {
            return;
        }
        int nodes = rows.size();
        int fewest = Integer.MAX_VALUE;
        for (int lines = 0; lines < 1 << (2 * nodes); lines++) {
            int chosen = lines;
            boolean whole = IntStream.range(0, 2 * nodes)
                    .filter(line -> (chosen >> line & 1) == 1)
                    .allMatch(line -> isWhole(line < nodes ? row(rows, line) : column(rows, line - nodes)));
            if (whole) {
                int left = 0;
                for (int row = 0; row < nodes; row++) {
                    for (int column = 0; column < nodes; column++) {
                        boolean covered = (lines >> row & 1) == 1 || (lines >> (nodes + column) & 1) == 1;
                        left += !covered && "FT".indexOf(rows.get(row).charAt(column)) >= 0 ? 1 : 0;
                    }
                }
                fewest = Math.min(fewest, Integer.bitCount(lines) + left);
            }
        }
        int blamed = blame.stream()
                .mapToInt(one -> one instanceof BlamedNode ? 2 : 1)
                .sum();
        assertThat(blamed).as("%s of %s", blame, rows).isEqualTo(fewest);
    }

    private static boolean isWhole(String line) {
        return line.chars().noneMatch(letter -> letter == '+')
                && line.chars().filter(letter -> "FT".indexOf(letter) >= 0).count() > 1;
    }

    private static String row(List<String> rows, int row) {
        return rows.get(row);
    }

    private static String column(List<String> rows, int column) {
        var text = new StringBuilder();
        rows.forEach(row -> text.append(row.charAt(column)));
        return text.toString();
    }

    private static boolean explained(List<Blame> blame, int row, int column) {
        return blame.stream().anyMatch(one -> switch (one) {
            case BlamedDomain _ -> true;
            case BlamedImporter(int node) -> node == row;
            case BlamedExporter(int node) -> node == column;
            case BlamedNode(int node) -> node == row || node == column;
            case BlamedPair(int importer, int exporter) -> importer == row && exporter == column;
        });
    }

    @Provide
    Arbitrary<List<String>> matrices() {
        Arbitrary<Character> cells =
                Arbitraries.frequency(Tuple.of(4, '+'), Tuple.of(5, 'F'), Tuple.of(1, 'T'), Tuple.of(1, '.'));
        return Arbitraries.integers()
                .between(2, 4)
                .flatMap(nodes -> cells.list().ofSize(nodes * nodes).map(all -> {
                    List<String> rows = new ArrayList<>();
                    for (int row = 0; row < nodes; row++) {
                        var text = new StringBuilder();
                        for (int column = 0; column < nodes; column++) {
                            text.append(row == column ? '-' : all.get(row * nodes + column));
                        }
                        rows.add(text.toString());
                    }
                    return rows;
                }));
    }

    private static List<Blame> blame(String... rows) {
        return Blame.of(matrix(List.of(rows)));
    }

    private static List<List<PairState>> matrix(List<String> rows) {
        return rows.stream()
                .map(row -> row.chars().mapToObj(letter -> state((char) letter)).toList())
                .toList();
    }

    private static PairState state(char letter) {
        return switch (letter) {
            case '+' -> new PairState.ProvenPair();
            case 'F' -> new PairState.FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE");
            case 'T' -> new PairState.TimedOutPair();
            default -> new PairState.UntriedPair("for a test");
        };
    }
}
