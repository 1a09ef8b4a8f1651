package io.imexagent.controller.racks;

import static io.imexagent.controller.Fabric.ONE;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.controller.ClusterReport;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.ReportedProof;
import io.imexagent.controller.racks.RackReport.Rack;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Screen;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.ProvenPairs;
import io.imexagent.kubernetes.clique.ProvenPairs.ProvenNode;
import io.imexagent.kubernetes.clique.RecordedRun;
import io.imexagent.kubernetes.clique.RecordedRun.RecordedNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProofMatrixTest {

    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");
    private static final List<String> NODES = List.of("tray-1", "tray-2", "tray-3");

    private final List<CliqueReport.ReportedNode> trays = new ArrayList<>();
    private final List<RecordedRun> runs = new ArrayList<>();

    /** A node that is connected to these numbers and has lost the other ones. */
    private void tray(int number, String connected, String lost) {
        trays.add(new CliqueReport.ReportedNode(
                "tray-" + number,
                ReportedNodeState.READY,
                Optional.empty(),
                new NodeStatus(
                        Optional.of(ONE),
                        Optional.of("580"),
                        4,
                        Optional.of("up"),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(new NodeLinks("10.0.0." + number, connected, "", lost, "")),
                        Optional.empty(),
                        OptionalLong.empty(),
                        Optional.empty(),
                        Optional.empty()),
                List.of()));
    }

    private void connected() {
        tray(1, "10.0.0.2 10.0.0.3", "");
        tray(2, "10.0.0.1 10.0.0.3", "");
        tray(3, "10.0.0.1 10.0.0.2", "");
    }

    private static FabricIdentity identity(String name) {
        return new FabricIdentity(name, Optional.empty(), OptionalLong.of(7), Optional.of("580"));
    }

    private void run(String... rows) {
        List<RecordedNode> nodes = new ArrayList<>();
        for (int row = 0; row < rows.length; row++) {
            nodes.add(new RecordedNode(NODES.get(row), identity(NODES.get(row)), rows[row]));
        }
        runs.add(new RecordedRun("run-" + runs.size(), "alice", FabricLevel.MAP, NOON, NOON.plusSeconds(40), nodes));
    }

    private Rack rack() {
        return report().racks().getFirst();
    }

    private RackReport report() {
        var test = new FabricTest(runs);
        List<ProvenNode> nodes = trays.stream()
                .map(tray -> new ProvenNode(tray.name(), Optional.of(ONE), identity(tray.name())))
                .toList();
        Map<CliqueId, ReportedProof> proofs =
                Map.of(ONE, new ReportedProof(test, ProvenPairs.of(ONE, nodes, test, NOON.plusSeconds(60))));
        return RackReport.of(
                new ClusterReport.ReportedFabric(
                        Isolation.NONE,
                        List.of(new CliqueReport(ONE, trays, OptionalInt.empty(), List.of(), List.of(), List.of())),
                        List.of(),
                        proofs,
                        Map.of()),
                Optional.empty());
    }

    private List<String> bad() {
        return rack().faults().stream()
                .filter(fault -> fault.severity() == Severity.CRITICAL)
                .map(RackFault::line)
                .toList();
    }

    @Test
    void whatIsProvenRaisesNoAlert() {
        connected();
        run("- + +", "+ - +", "+ + -");

        assertThat(rack().proof().rows()).containsExactly("-++", "+-+", "++-");
        assertThat(rack().faults()).isEmpty();
    }

    @Test
    void aFailureBetweenNodesThatAreCalledConnectedIsNamed() {
        connected();
        run("- 400! +", "T! - .", "F + -");

        assertThat(rack().proof().rows()).containsExactly("-f+", "t-.", "F+-");
        assertThat(bad())
                .containsExactly(
                        "3 imports fail in the fabric test: tray-1 from tray-2 (400), tray-2 from tray-1 (hangs),"
                                + " tray-3 from tray-1; nvidia-imex calls the nodes connected");
    }

    /** The status may have been wrong then; now it says the same as the test. */
    @Test
    void aFailureBetweenNodesThatAreLostByNowContradictsNothing() {
        tray(1, "10.0.0.3", "10.0.0.2");
        tray(2, "10.0.0.3", "10.0.0.1");
        tray(3, "10.0.0.1 10.0.0.2", "");
        run("- 400! +", "+ - +", "+ + -");

        assertThat(rack().proof().rows()).containsExactly("-F+", "+-+", "++-");
        assertThat(bad()).containsExactly("the connection between tray-1 and tray-2 is lost; and 1 import failed");
    }

    @Test
    void theDocumentAndTheTextHaveTheMatrixAndItsRuns() {
        connected();
        run("- 400! +", "+ - +", "+ + -");

        JsonNode rack = RacksDocument.of(report()).at("/racks/0");
        assertThat(rack.at("/trays/0/proof").asText()).isEqualTo("-f+");
        assertThat(rack.path("tests").toString())
                .isEqualTo("[{\"level\":\"map\",\"ended\":\"2026-11-28T12:00:40Z\",\"by\":\"alice\"}]");
        assertThat(RacksDocument.text(report(), NOON.plusSeconds(100), Screen.NONE))
                .contains(
                        "IMPORTS", "-f+", "60s", "alice", "f and t the same while nvidia-imex calls the two connected");
    }

    @Test
    void withoutARunThereIsNoMatrix() {
        connected();

        assertThat(rack().proof()).isEqualTo(ProofMatrix.NONE);
        assertThat(RacksDocument.of(report()).toString()).doesNotContain("proof", "tests");
        assertThat(RacksDocument.text(report(), NOON, Screen.NONE)).doesNotContain("IMPORTS");
    }
}
