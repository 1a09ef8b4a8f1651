package io.imexagent.fabric.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.text.Screen;
import io.imexagent.fabric.result.FabricResult.NodeImport;
import io.imexagent.fabric.result.FabricResult.NodePair;
import io.imexagent.fabric.result.FabricResult.StatusMatrix;
import io.imexagent.fabric.result.NodeEvidence.NodeAbsent;
import io.imexagent.fabric.result.NodeEvidence.PodRow;
import io.imexagent.fabric.result.NodeEvidence.RequestedRun;
import io.imexagent.fabric.result.PairState.FailedPair;
import io.imexagent.fabric.result.PairState.ProvenPair;
import io.imexagent.fabric.result.PairState.UntriedPair;
import io.imexagent.fabric.result.RankRow.ExportedGpu;
import io.imexagent.fabric.result.RankRow.PeerCells;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class NodeEvidenceTest {

    private static final String RUN = "0123456789ab";
    private static final RequestedRun REQUESTED = new RequestedRun(RUN, "map", 1);
    private static final FailedPair INVALID =
            new FailedPair("cuMemImportFromShareableHandle", 400, "CUDA_ERROR_INVALID_HANDLE");

    @Test
    void allIsProvenWhereEveryRankSaysSoOfItsOwnImports() {
        FabricResult result = result(List.of(pod(0, row(0, 3)), pod(1, row(1, 3)), pod(2, row(2, 3))));

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PROVEN);
        assertThat(result.blame()).isEmpty();
    }

    @Test
    void aMissingRankIsNotTriedHoweverMuchOthersImportedFromIt() {
        FabricResult result = result(List.of(pod(0, row(0, 3)), pod(1, row(1, 3))));

        assertThat(result.verdict()).isEqualTo(FabricVerdict.PARTLY_PROVEN);
        assertThat(result.state(new NodeImport(0, 2))).isInstanceOf(UntriedPair.class);
        assertThat(result.absence(2)).contains("no pod of the run was placed on it: 0/3 nodes are available");
    }

    @Test
    void fewerThanTwoRanksAreAFailure() {
        assertThat(result(List.of(pod(0, row(0, 3)))).verdict()).isEqualTo(FabricVerdict.FAILED);
    }

    @Test
    void aRankIsBelievedAboutItsOwnRowOnly() {
        FabricResult result = result(List.of(pod(0, row(0, 3)), pod(1, row(2, 3)), pod(2, row(2, 3))));

        assertThat(result.absence(1)).contains("its pod is rank 1 and left a row of rank 2");
        assertThat(result.absence(2)).isEmpty();
    }

    @Test
    void twoPodsOfOneRankAreBothNotBelieved() {
        FabricResult result = FabricResult.of(
                name(),
                Instant.EPOCH,
                NodeEvidence.of(
                        REQUESTED,
                        nodes(3),
                        List.of(
                                pod(0, row(0, 3)),
                                new PodRow("tray-1", 1, Optional.of(row(1, 3)), ""),
                                new PodRow("tray-2", 1, Optional.of(row(1, 3)), "")),
                        "none"),
                new StatusMatrix(Map.of()));

        assertThat(result.absence(1)).contains("2 pods were rank 1");
        assertThat(result.absence(2)).contains("2 pods were rank 1");
        assertThat(result.verdict()).isEqualTo(FabricVerdict.FAILED);
    }

    @Test
    void anImportFromAnotherProcessThanTheExportersRankProvesNothing() {
        List<PeerCells> peers = new ArrayList<>(row(0, 3).peers());
        peers.set(1, new PeerCells("ffffff", List.of(new ProvenPair())));

        FabricResult result = result(List.of(pod(0, with(0, peers)), pod(1, row(1, 3)), pod(2, row(2, 3))));

        assertThat(result.state(new NodeImport(0, 1)))
                .isEqualTo(new UntriedPair("the handles were those of another process than the exporter's rank"));
    }

    @Test
    void anExporterThatExportsNothingIsToBlameForItsColumn() {
        FailedPair refused = new FailedPair("cuMemCreate", 800, "CUDA_ERROR_NOT_PERMITTED");
        List<PodRow> pods = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
            List<PeerCells> peers = new ArrayList<>(row(rank, 3).peers());
            if (rank != 2) {
                peers.set(2, new PeerCells("life-2", List.of(new UntriedPair("the exporter's GPU offers no memory"))));
            }
            RankRow row = with(rank, peers);
            pods.add(pod(
                    rank,
                    rank != 2
                            ? row
                            : new RankRow(
                                    RUN,
                                    2,
                                    "life-2",
                                    "map",
                                    Optional.empty(),
                                    Optional.empty(),
                                    List.of(new ExportedGpu("GPU-2", Optional.of(refused))),
                                    Optional.empty(),
                                    peers)));
        }

        FabricResult result = result(pods);

        assertThat(result.state(new NodeImport(0, 2))).isEqualTo(refused);
        assertThat(result.blame()).containsExactly(new Blame.BlamedExporter(2));
    }

    @Test
    void aNodeThatRestartedItsDaemonDuringTheRunProvesNothing() {
        List<NodeEvidence> evidence = NodeEvidence.unchanged(
                NodeEvidence.of(
                        REQUESTED, nodes(3), List.of(pod(0, row(0, 3)), pod(1, row(1, 3)), pod(2, row(2, 3))), ""),
                List.of(
                        node(0),
                        node(1),
                        new TestedNode(
                                "tray-2",
                                new FabricIdentity("", Optional.empty(), OptionalLong.of(9), Optional.empty()))));

        assertThat(evidence.get(2)).isInstanceOf(NodeAbsent.class);
        assertThat(evidence.get(1)).isNotInstanceOf(NodeAbsent.class);
    }

    @Test
    void aRankOfAnotherRunOrBootIsNotBelieved() {
        RankRow row = row(1, 3);
        var other = new RankRow(
                "another", 1, row.life(), row.level(), row.boot(), row.driver(), row.gpus(), row.fault(), row.peers());

        assertThat(result(List.of(pod(0, row(0, 3)), pod(1, other), pod(2, row(2, 3))))
                        .absence(1))
                .contains("its pod left the row of another run");
    }

    @Test
    void aRankThatSawAnotherNumberOfGpusProvesNothing() {
        assertThat(absence(new Changed("map", "580.159.04", 2, 3)))
                .contains("its rank has 2 GPUs, and 1 were requested");
        assertThat(absence(new Changed("map", "580.159.04", 0, 3)))
                .contains("its rank has 0 GPUs, and 1 were requested");
    }

    @Test
    void aRankOfAnotherLevelDriverOrNumberOfRanksProvesNothing() {
        assertThat(absence(new Changed("import", "580.159.04", 1, 3)))
                .contains("its rank tested level import, and map was requested");
        assertThat(absence(new Changed("map", "570.1", 1, 3)))
                .contains("its rank ran on driver 570.1, and its agent reports 580.159.04");
        assertThat(absence(new Changed("map", "580.159.04", 1, 2)))
                .contains("its row is of rank 1 of 2, and the run has 3 ranks");
        assertThat(absence(new Changed("map", "580.159.04", 1, 3))).isEmpty();
    }

    @Test
    void namesImportsThatFailAlthoughNvidiaImexSaysConnected() {
        List<PeerCells> peers = new ArrayList<>(row(0, 3).peers());
        peers.set(1, new PeerCells("life-1", List.of(INVALID)));
        FabricResult result = FabricResult.of(
                name(),
                Instant.EPOCH,
                NodeEvidence.of(
                        REQUESTED, nodes(3), List.of(pod(0, with(0, peers)), pod(1, row(1, 3)), pod(2, row(2, 3))), ""),
                new StatusMatrix(Map.of(new NodePair(0, 1), LinkState.CONNECTED)));

        assertThat(result.contradictions()).containsExactly(new NodeImport(0, 1));
        assertThat(FabricDocument.text(result, Screen.NONE))
                .contains("status says connected, import fails: tray-0 from tray-1")
                .contains("to blame: the pair tray-0 from tray-1")
                .contains("CUDA_ERROR_INVALID_HANDLE")
                .endsWith("Failed: 5 of 6 imports between 3 nodes are proven.\n");
        assertThat(FabricDocument.of(result).at("/imports/0/status").asText()).isEqualTo("connected");
        assertThat(FabricDocument.of(result).at("/imports/0/code").asInt()).isEqualTo(400);
        assertThat(FabricDocument.of(result).path("at").asText()).isEqualTo("1970-01-01T00:00:00Z");
    }

    @Test
    void theTextFitsEightyColumnsAlsoFor72Nodes() {
        for (int ranks : List.of(18, 72)) {
            List<PodRow> pods = new ArrayList<>();
            for (int rank = 0; rank < ranks; rank++) {
                pods.add(pod(rank, row(rank, ranks)));
            }
            FabricResult result = FabricResult.of(
                    name(),
                    Instant.EPOCH,
                    NodeEvidence.of(REQUESTED, nodes(ranks), pods, ""),
                    new StatusMatrix(Map.of()));
            String text = FabricDocument.text(result, new Screen(false, OptionalInt.of(80)));

            assertThat(result.verdict()).isEqualTo(FabricVerdict.PROVEN);
            assertThat(text.lines())
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(80));
            assertThat(text).contains("-++++++").contains("+ proven");
            assertThat(FabricDocument.text(result, new Screen(false, OptionalInt.of(60)))
                            .lines()
                            .filter(line -> line.matches("[ 0-9]+( .*)?")))
                    .as("the matrix")
                    .hasSizeGreaterThan(ranks)
                    .allSatisfy(line -> assertThat(line.length()).isLessThanOrEqualTo(60));
        }
    }

    /** What is not as requested in the row of a rank. */
    private record Changed(String level, String driver, int gpus, int ranks) {}

    /** Why a node whose rank 1 left such a row takes no part, where its agent reports driver 580.159.04. */
    private static Optional<String> absence(Changed changed) {
        RankRow row = row(1, changed.ranks());
        var left = new RankRow(
                RUN,
                1,
                row.life(),
                changed.level(),
                Optional.empty(),
                Optional.of(changed.driver()),
                Collections.nCopies(changed.gpus(), new ExportedGpu("GPU-1", Optional.empty())),
                Optional.empty(),
                row.peers());
        List<TestedNode> nodes = new ArrayList<>(nodes(3));
        nodes.set(
                1,
                new TestedNode(
                        "tray-1",
                        new FabricIdentity("", Optional.empty(), OptionalLong.empty(), Optional.of("580.159.04"))));
        List<NodeEvidence> evidence = NodeEvidence.of(REQUESTED, nodes, List.of(pod(1, left)), "");
        return evidence.get(1) instanceof NodeAbsent(TestedNode _, String reason)
                ? Optional.of(reason)
                : Optional.empty();
    }

    private static FabricResult result(List<PodRow> pods) {
        return FabricResult.of(
                name(),
                Instant.EPOCH,
                NodeEvidence.of(
                        REQUESTED, nodes(3), pods, "no pod of the run was placed on it: 0/3 nodes are available"),
                new StatusMatrix(Map.of()));
    }

    private static FabricResult.FabricRunName name() {
        return new FabricResult.FabricRunName(RUN, "default", "2a5b6f4c-1111-2222-3333-444444444444.1", "map");
    }

    private static List<TestedNode> nodes(int count) {
        List<TestedNode> nodes = new ArrayList<>();
        for (int node = 0; node < count; node++) {
            nodes.add(node(node));
        }
        return nodes;
    }

    private static TestedNode node(int node) {
        return new TestedNode(
                "tray-" + node, new FabricIdentity("", Optional.empty(), OptionalLong.empty(), Optional.empty()));
    }

    private static PodRow pod(int node, RankRow row) {
        return new PodRow("tray-" + node, node, Optional.of(row), "");
    }

    private static RankRow row(int rank, int ranks) {
        List<PeerCells> peers = new ArrayList<>();
        for (int peer = 0; peer < ranks; peer++) {
            peers.add(
                    peer == rank
                            ? new PeerCells("", List.of())
                            : new PeerCells("life-" + peer, List.of(new ProvenPair())));
        }
        return with(rank, peers);
    }

    private static RankRow with(int rank, List<PeerCells> peers) {
        return new RankRow(
                RUN,
                rank,
                "life-" + rank,
                "map",
                Optional.empty(),
                Optional.empty(),
                List.of(new ExportedGpu("GPU-" + rank, Optional.empty())),
                Optional.empty(),
                peers);
    }
}
