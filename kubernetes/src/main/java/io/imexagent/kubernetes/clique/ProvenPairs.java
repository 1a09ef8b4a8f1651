package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The results of recorded fabric tests that are still valid for a clique's nodes: a row for each node with a state for
 * each node, both in the order of {@code nodes}. The row's node imports what the column's node exports.
 *
 * <p>The latest run that tried a pair determines its state. The result is stale {@link #FRESH} after the end of the
 * run, if the run ended in the future, or if either node's identity has changed since the run.
 */
public record ProvenPairs(List<String> nodes, List<List<PairProof>> rows) {

    /** How long a result is valid. */
    public static final Duration FRESH = Duration.ofHours(24);

    /** The most that a runner's clock may be ahead. */
    public static final Duration AHEAD = Duration.ofMinutes(5);

    private static final int MISSING = -1;
    private static final PairProof OWN = new PairProof(new CellState.OwnCell(), 0);
    private static final PairProof PROVEN = new PairProof(new CellState.ProvenCell(), 0);
    private static final PairProof UNTRIED = new PairProof(new CellState.UntriedCell(), 0);

    public ProvenPairs {
        nodes = List.copyOf(nodes);
        rows = rows.stream().map(List::copyOf).toList();
    }

    /** The current state of a pair. */
    public sealed interface CellState {

        record OwnCell() implements CellState {}

        record ProvenCell() implements CellState {}

        /** The import failed, with this code if libcuda returned one. */
        record FailedCell(OptionalInt code) implements CellState {}

        record HungCell() implements CellState {}

        record UntriedCell() implements CellState {}

        /** The last result is no longer valid; the reason is a word or two. */
        record StaleCell(String why) implements CellState {}

        /** The texts of the states of a pair of two nodes, which are label values of the metric. */
        List<String> TEXTS = List.of("proven", "failed", "timeout", "not_tried", "stale");

        /** The state as a word; {@code own} for a node and itself. */
        default String text() {
            return switch (this) {
                case OwnCell _ -> "own";
                case ProvenCell _ -> "proven";
                case FailedCell _ -> "failed";
                case HungCell _ -> "timeout";
                case UntriedCell _ -> "not_tried";
                case StaleCell _ -> "stale";
            };
        }

        /** The state as the letter of a matrix. */
        default char letter() {
            return switch (this) {
                case OwnCell _ -> '-';
                case ProvenCell _ -> '+';
                case FailedCell _ -> 'F';
                case HungCell _ -> 'T';
                case UntriedCell _ -> '.';
                case StaleCell _ -> 'S';
            };
        }
    }

    /**
     * The state of a pair, and the number of its latest consecutive runs that failed while nvidia-imex reported the two
     * nodes as connected; 0 if the state is neither failed nor hung.
     */
    public record PairProof(CellState state, int contradictions) {}

    /** A node in its current state. If it is in another clique, its results are stale. */
    public record ProvenNode(String name, Optional<CliqueId> clique, FabricIdentity identity) {}

    /** Determines the pairs of these nodes from the runs recorded for their clique, at this time. */
    public static ProvenPairs of(CliqueId clique, List<ProvenNode> nodes, FabricTest test, Instant now) {
        List<ComparedRun> runs = test.runs().stream()
                .map(run -> ComparedRun.of(clique, nodes, run, now))
                .toList();
        return new ProvenPairs(
                nodes.stream().map(ProvenNode::name).toList(),
                IntStream.range(0, nodes.size())
                        .mapToObj(importer -> IntStream.range(0, nodes.size())
                                .mapToObj(exporter -> importer == exporter ? OWN : pair(runs, importer, exporter))
                                .toList())
                        .toList());
    }

    private static PairProof pair(List<ComparedRun> runs, int importer, int exporter) {
        List<ComparedRun> tried =
                runs.stream().filter(run -> run.tried(importer, exporter)).toList();
        if (tried.isEmpty()) {
            return UNTRIED;
        }
        ComparedRun last = tried.getFirst();
        Optional<String> stale = last.outdated()
                .or(() -> last.changed().get(importer))
                .or(() -> last.changed().get(exporter));
        if (stale.isPresent()) {
            return new PairProof(new CellState.StaleCell(stale.get()), 0);
        }
        int contradictions = (int) tried.stream()
                .takeWhile(run -> run.cell(importer, exporter).contradictsStatus())
                .count();
        return switch (last.cell(importer, exporter)) {
            case RecordedCell.ProvenImport _ -> PROVEN;
            case RecordedCell.FailedImport(OptionalInt code, boolean _) ->
                new PairProof(new CellState.FailedCell(code), contradictions);
            case RecordedCell.HungImport _ -> new PairProof(new CellState.HungCell(), contradictions);
            case RecordedCell.UntriedImport _, RecordedCell.OwnImport _ -> UNTRIED;
        };
    }

    /** Why all cells of a run are stale at this time, in a few words; empty if its time is valid. */
    public static Optional<String> outdated(RecordedRun run, Instant now) {
        if (run.ended().isAfter(now.plus(AHEAD)) || run.started().isAfter(run.ended())) {
            return Optional.of("recorded with a wrong clock");
        }
        return run.ended().plus(FRESH).isAfter(now)
                ? Optional.empty()
                : Optional.of("older than " + FRESH.toHours() + " hours");
    }

    /** The number of pairs of two nodes by the text of their state; states without a pair are left out. */
    public Map<String, Long> counts() {
        return pairs().collect(Collectors.groupingBy(pair -> pair.state().text(), Collectors.counting()));
    }

    /** The number of pairs that failed in their last two runs while nvidia-imex reported the two nodes as connected. */
    public long contradicted() {
        return pairs().filter(pair -> pair.contradictions() > 1).count();
    }

    private Stream<PairProof> pairs() {
        return rows.stream().flatMap(List::stream).filter(pair -> !pair.equals(OWN));
    }

    /**
     * A run compared with the current nodes: why all of it is stale, the place of each node in it, and what has changed
     * at each node.
     */
    private record ComparedRun(
            Optional<String> outdated,
            List<Integer> places,
            List<Optional<String>> changed,
            List<List<RecordedCell>> rows) {

        static ComparedRun of(CliqueId clique, List<ProvenNode> nodes, RecordedRun run, Instant now) {
            Map<String, Integer> byName = new HashMap<>();
            for (int place = 0; place < run.nodes().size(); place++) {
                byName.put(run.nodes().get(place).name(), place);
            }
            List<Integer> places = nodes.stream()
                    .map(node -> byName.getOrDefault(node.name(), MISSING))
                    .toList();
            return new ComparedRun(
                    ProvenPairs.outdated(run, now),
                    places,
                    IntStream.range(0, nodes.size())
                            .mapToObj(at -> places.get(at) == MISSING
                                    ? Optional.<String>empty()
                                    : changed(
                                            clique,
                                            nodes.get(at),
                                            run.nodes().get(places.get(at)).identity()))
                            .toList(),
                    run.nodes().stream()
                            .map(node -> node.row(run.nodes().size()))
                            .toList());
        }

        private static Optional<String> changed(CliqueId clique, ProvenNode node, FabricIdentity then) {
            return (node.clique().equals(Optional.of(clique))
                            ? node.identity().changedSince(then)
                            : Optional.of("another clique"))
                    .map(what -> node.name() + ": " + what);
        }

        boolean tried(int importer, int exporter) {
            return switch (cell(importer, exporter)) {
                case RecordedCell.ProvenImport _, RecordedCell.FailedImport _, RecordedCell.HungImport _ -> true;
                case RecordedCell.UntriedImport _, RecordedCell.OwnImport _ -> false;
            };
        }

        RecordedCell cell(int importer, int exporter) {
            int row = places.get(importer);
            int column = places.get(exporter);
            return row == MISSING || column == MISSING
                    ? new RecordedCell.UntriedImport()
                    : rows.get(row).get(column);
        }
    }
}
