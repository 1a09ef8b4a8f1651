package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedProof;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.ProvenPairs.CellState;
import io.imexagent.kubernetes.clique.ProvenPairs.PairProof;
import io.imexagent.kubernetes.clique.RecordedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The results of the fabric test in a rack: a row for each node as the importer, with a letter for each node as the
 * exporter; the recorded runs; and the imports that fail. All are empty if no run is recorded or known.
 *
 * <p>{@code +} proven, {@code F} failed, {@code T} hung, {@code .} not tried, {@code S} stale, {@code -} the node
 * itself; {@code f} and {@code t} replace {@code F} and {@code T} if nvidia-imex reported the two nodes connected
 * during the run, and does now.
 */
public record ProofMatrix(List<String> rows, List<RecordedRun> runs, List<ImportFailure> failures) {

    static final ProofMatrix NONE = new ProofMatrix(List.of(), List.of(), List.of());

    public ProofMatrix {
        rows = List.copyOf(rows);
        runs = List.copyOf(runs);
        failures = List.copyOf(failures);
    }

    /**
     * An import that failed or hung, as text, and whether nvidia-imex reports the two nodes connected; nodes by number,
     * from 0.
     */
    public record ImportFailure(int importer, int exporter, String text, boolean contradicts) {}

    static ProofMatrix of(List<CliqueReport.ReportedNode> trays, LinkMatrix links, Optional<ReportedProof> recorded) {
        if (recorded.isEmpty() || recorded.get().test().runs().isEmpty()) {
            return NONE;
        }
        ReportedProof proof = recorded.get();
        List<Integer> places = trays.stream()
                .map(tray -> proof.pairs().nodes().indexOf(tray.name()))
                .toList();
        List<String> rows = new ArrayList<>();
        List<ImportFailure> failures = new ArrayList<>();
        for (int importer = 0; importer < trays.size(); importer++) {
            var row = new StringBuilder();
            for (int exporter = 0; exporter < trays.size(); exporter++) {
                boolean known = places.get(importer) >= 0 && places.get(exporter) >= 0;
                char letter = importer == exporter ? LinkMatrix.SELF : '.';
                if (known && importer != exporter) {
                    PairProof pair =
                            proof.pairs().rows().get(places.get(importer)).get(places.get(exporter));
                    letter = letter(pair, links, importer, exporter);
                    if ("FTft".indexOf(letter) >= 0) {
                        failures.add(new ImportFailure(
                                importer,
                                exporter,
                                trays.get(importer).name() + " from "
                                        + trays.get(exporter).name() + how(pair.state()),
                                Character.isLowerCase(letter)));
                    }
                }
                row.append(letter);
            }
            rows.add(row.toString());
        }
        return new ProofMatrix(rows, proof.test().runs(), failures);
    }

    private static char letter(PairProof pair, LinkMatrix links, int importer, int exporter) {
        boolean contradiction = pair.contradictions() > 0
                && !links.rows().isEmpty()
                && links.between(importer, exporter) == LinkMatrix.letter(LinkState.CONNECTED);
        char letter = pair.state().letter();
        return contradiction ? Character.toLowerCase(letter) : letter;
    }

    private static String how(CellState state) {
        return switch (state) {
            case CellState.FailedCell(OptionalInt code) -> code.isPresent() ? " (" + code.getAsInt() + ")" : "";
            case CellState.HungCell _ -> " (hangs)";
            case CellState.OwnCell _, CellState.ProvenCell _, CellState.UntriedCell _, CellState.StaleCell _ -> "";
        };
    }
}
