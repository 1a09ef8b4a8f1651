package io.imexagent.fabric.run;

import io.imexagent.fabric.result.FabricResult;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.PairState;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.FabricRuns;
import io.imexagent.kubernetes.Reviews.AccessRule;
import io.imexagent.kubernetes.Reviews.ReviewResult;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.RecordedCell;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The record of a run: the cell of each pair, and the identity of each node at the start of the run. */
public final class RunRecord {

    private RunRecord() {}

    /**
     * Checks before a run starts that it can be recorded, and refuses it otherwise.
     *
     * @throws ApiException if the API server does not answer whether the run can be recorded
     */
    public static void require(FabricRuns cluster, RunRequest run) throws RunRefusedException, ApiException {
        if (run.nodes().size() > RecordedRun.MOST_NODES) {
            throw new RunRefusedException(
                    "a run of " + RecordedRun.MOST_NODES + " nodes at most can be recorded, and this one" + " has "
                            + run.nodes().size() + ": leave out --record, or name the nodes");
        }
        for (String verb : List.of("get", "create", "update")) {
            AccessRule rule = AccessRule.on(verb, FabricObjects.GROUP, "fabrictests");
            if (cluster.reviews().may(rule) instanceof ReviewResult.Denied(String reason)) {
                throw new RunRefusedException("the run could not be recorded: you may not " + rule.text()
                        + (reason.isEmpty() ? "" : " (" + reason + ")")
                        + "; whoever records needs the role imex-fabric-test-recorder");
            }
        }
        try {
            Optional<Stored<FabricTest>> _ =
                    cluster.fabric().tests().get(run.clique().text());
        } catch (ApiException e) {
            if (e.failure().kind() == FailureKind.NOT_FOUND) {
                throw new RunRefusedException(
                        "the run could not be recorded: the cluster has no definition of FabricTests;"
                                + " apply what imex-agent manifests prints");
            }
            throw e;
        }
    }

    /** Returns the record of a run; the nodes of the target and of the result are the same, in the same order. */
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
