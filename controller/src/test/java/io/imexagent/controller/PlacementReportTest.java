package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedDomain;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.ControlPlane.PlacedPod;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementReportTest {

    private static final String A = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.1";
    private static final String B = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.2";
    private static final Map<String, String> LABELS = Map.of("a1", A, "a2", A, "b1", B, "b2", B);
    private static final Map<String, Boolean> READY = Map.of("a1", true, "a2", true, "b1", true, "b2", true);
    private static final String WORDS = "0/4 nodes are available: 4 cannot allocate all claims.";

    private static PlacedPod running(String name, String node) {
        return new PlacedPod("team", name, "uid-1", "", Optional.of(node), false, Optional.empty());
    }

    private static PlacedPod waiting(String name) {
        return new PlacedPod("team", name, "uid-1", "", Optional.empty(), false, Optional.of(WORDS));
    }

    private static PlacedPod taking(String node) {
        return new PlacedPod("other", "x-" + node, "uid-2", "", Optional.of(node), false, Optional.empty());
    }

    private static List<String> wrong(Map<String, String> labels, PlacedPod... pods) {
        var report = new ClusterReport(
                List.of(new ReportedDomain(
                        "team", "train", "uid-1", ReportedDomainState.READY, "channel", List.of(), List.of())),
                List.of());
        return new PlacementReport(List.of(pods), labels, READY, Set.of())
                .domains(report)
                .getFirst()
                .wrong();
    }

    @Test
    void nothingIsWrongWithPodsInOneClique() {
        assertThat(wrong(LABELS, running("p1", "a1"), running("p2", "a2"))).isEmpty();
    }

    @Test
    void aFullCliqueIsNamedWithOneThatHasRoom() {
        assertThat(wrong(LABELS, running("p1", "a1"), taking("a2"), waiting("p3")))
                .containsExactly("pods wait: p3; clique " + A + ", where its other pods are, is full; clique " + B
                        + " has 2 nodes without a pod of a ComputeDomain: delete all its pods, to start together there;"
                        + " the scheduler says: " + WORDS);
    }

    @Test
    void podsOfOthersTakeRoomAndEndedOnesDoNot() {
        var ended = new PlacedPod("other", "y", "uid-2", "", Optional.of("b2"), true, Optional.empty());

        assertThat(wrong(LABELS, waiting("p3"), taking("b1"), taking("a1"), taking("a2"), ended))
                .singleElement()
                .asString()
                .contains("clique " + B + " has 1 node without");
        assertThat(wrong(LABELS, running("p1", "a1"), running("p2", "a2"), waiting("p3"), taking("b1")))
                .singleElement()
                .asString()
                .contains("is full; no other has room for all 3;");
        assertThat(wrong(
                        LABELS,
                        waiting("p3"),
                        taking("b1"),
                        running("p1", "b2"),
                        running("p2", "a1"),
                        running("p4", "a2")))
                .anySatisfy(sentence -> assertThat(sentence).contains("no clique has a node without such a pod"));
    }

    @Test
    void podsInTwoCliquesAreReportedUnlessTheirGroupsAreTwo() {
        assertThat(wrong(LABELS, running("p1", "a1"), running("p2", "b1")))
                .singleElement()
                .asString()
                .startsWith("its pods are in 2 cliques")
                .contains("1 in " + A, "1 in " + B);

        var first = new PlacedPod("team", "p1", "uid-1", "one", Optional.of("a1"), false, Optional.empty());
        var second = new PlacedPod("team", "p2", "uid-1", "two", Optional.of("b1"), false, Optional.empty());
        assertThat(wrong(LABELS, first, second)).isEmpty();
    }

    @Test
    void withoutTheLabelOnAnyNodeThatIsTheCause() {
        assertThat(wrong(Map.of(), waiting("p1")))
                .singleElement()
                .asString()
                .contains("no Node has the label nvidia.com/gpu.clique: set publication.cliqueLabel");
    }

    @Test
    void aPodOfAnotherNamespaceWithTheLabelIsNoneOfIts() {
        var stranger = new PlacedPod("other", "x", "uid-1", "", Optional.of("b1"), false, Optional.empty());

        assertThat(wrong(LABELS, running("p1", "a1"), stranger)).isEmpty();
    }

    @Test
    void nodesWithoutTheLabelOfTheirCliqueAreNamed() {
        var status = new NodeStatus(
                Optional.of(new CliqueId(A)),
                Optional.empty(),
                4,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
        var clique = new CliqueReport(
                new CliqueId(A),
                List.of(
                        new CliqueReport.ReportedNode(
                                "a1", CliqueReport.ReportedNodeState.READY, Optional.empty(), status, List.of()),
                        new CliqueReport.ReportedNode(
                                "a3", CliqueReport.ReportedNodeState.READY, Optional.empty(), status, List.of())),
                OptionalInt.empty(),
                List.of(),
                List.of(),
                List.of());

        assertThat(new PlacementReport(List.of(), LABELS, READY, Set.of())
                        .cliques(List.of(clique))
                        .getFirst()
                        .wrong())
                .singleElement()
                .asString()
                .contains("a3; set publication.cliqueLabel")
                .doesNotContain("a1");
    }
}
