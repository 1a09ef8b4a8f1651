package io.imexagent.fabric.run;

import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.PairState;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.RecordedCell;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** What is recorded of a run: each pair's cell, and who each node was when the run began. */
public final class RunRecord {

    private RunRecord() {}

    /** The record of a run of these nodes, which are those of the result in the same order. */
    public static RecordedRun of(RunRequest run, RunTarget target, FabricResult result) {
        List<RecordedNode> nodes = new ArrayList<>();
        for (int importer = 0; importer < target.nodes().size(); importer++) {
            Stored<NvlinkNode> node = target.nodes().get(importer);
            List<RecordedCell> cells = new ArrayList<>();
            for (int exporter = 0; exporter < target.nodes().size(); exporter++) {
                cells.add(
                        importer == exporter
                                ? new RecordedCell.OwnImport()
                                : cell(
                                        result.state(new NodeImport(importer, exporter)),
                                        result.status().between(importer, exporter) == LinkState.CONNECTED));
            }
            nodes.add(RecordedNode.of(node.name(), FabricIdentity.of(node), cells));
        }
        return new RecordedRun(run.id(), run.by(), run.level(), run.at(), result.at(), nodes);
    }

    private static RecordedCell cell(PairState state, boolean connected) {
        return switch (state) {
            case PairState.ProvenPair _ -> new RecordedCell.ProvenImport();
            case PairState.FailedPair(String _, int code, String _) ->
                new RecordedCell.FailedImport(
                        code >= 1 && code <= RecordedCell.MOST_CODE ? OptionalInt.of(code) : OptionalInt.empty(),
                        connected);
            case PairState.TimedOutPair _ -> new RecordedCell.HungImport(connected);
            case PairState.UntriedPair _ -> new RecordedCell.UntriedImport();
        };
    }
}
