package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedProof;
import io.imexagent.controller.racks.RackReport.RackAlert;
import io.imexagent.core.check.Severity;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.ProvenPairs.CellState;
import io.imexagent.kubernetes.clique.ProvenPairs.PairProof;
import io.imexagent.kubernetes.clique.RecordedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What the fabric test proves in a rack: a row for each of its nodes, the importer, with a letter for each node, the
 * exporter; the recorded runs; and what is wrong, in sentences. All empty where no run is recorded, or none is known.
 *
 * <p>{@code +} proven, {@code F} failed, {@code T} hung, {@code .} not tried, {@code S} stale, {@code -} the node itself;
 * {@code f} and {@code t} the same as {@code F} and {@code T} where nvidia-imex called the two nodes connected during the run,
 * and does now.
 */
public record ProofMatrix(List<String> rows, List<RecordedRun> runs, List<RackAlert> alerts) {

    static final ProofMatrix NONE = new ProofMatrix(List.of(), List.of(), List.of());

    private static final int MOST_NAMES = 4;

    public ProofMatrix {
        rows = List.copyOf(rows);
        runs = List.copyOf(runs);
        alerts = List.copyOf(alerts);
    }

    static ProofMatrix of(List<CliqueReport.ReportedNode> trays, LinkMatrix links, Optional<ReportedProof> recorded) {
        if (recorded.isEmpty() || recorded.get().test().runs().isEmpty()) {
            return NONE;
        }
        ReportedProof proof = recorded.get();
        List<Integer> places = trays.stream()
                .map(tray -> proof.pairs().nodes().indexOf(tray.name()))
                .toList();
        List<String> rows = new ArrayList<>();
        List<String> contradicted = new ArrayList<>();
        List<String> failed = new ArrayList<>();
        for (int importer = 0; importer < trays.size(); importer++) {
            var row = new StringBuilder();
            for (int exporter = 0; exporter < trays.size(); exporter++) {
                boolean known = places.get(importer) >= 0 && places.get(exporter) >= 0;
                char letter = importer == exporter ? LinkMatrix.SELF : '.';
                if (known && importer != exporter) {
                    PairProof pair =
                            proof.pairs().rows().get(places.get(importer)).get(places.get(exporter));
                    letter = letter(pair, links, importer, exporter);
                    String text = trays.get(importer).name() + " from "
                            + trays.get(exporter).name() + how(pair.state());
                    switch (letter) {
                        case 'f', 't' -> contradicted.add(text);
                        case 'F', 'T' -> failed.add(text);
                        default -> {}
                    }
                }
                row.append(letter);
            }
            rows.add(row.toString());
        }
        return new ProofMatrix(rows, proof.test().runs(), alerts(contradicted, failed));
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

    private static List<RackAlert> alerts(List<String> contradicted, List<String> failed) {
        List<RackAlert> alerts = new ArrayList<>();
        if (!contradicted.isEmpty()) {
            alerts.add(new RackAlert(
                    Severity.CRITICAL,
                    "nvidia-imex calls nodes connected that cannot import each other's memory, by the fabric test: "
                            + NameList.some(contradicted, MOST_NAMES)));
        }
        if (!failed.isEmpty()) {
            alerts.add(new RackAlert(
                    Severity.CRITICAL, "imports failed in the fabric test: " + NameList.some(failed, MOST_NAMES)));
        }
        return alerts;
    }
}
