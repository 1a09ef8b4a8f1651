package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.entry;
import static io.imexagent.controller.Fabric.hold;
import static io.imexagent.controller.Fabric.table;
import static io.imexagent.kubernetes.clique.ChannelEntry.State.ASSIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.NodeState;
import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.Stored;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ReporterTest {

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private void settled() {
        new ControllerRig(cluster, ControllerRig.isolated(), time).settle();
    }

    /** What a process sees that has just listed everything. */
    private ClusterReport report(Optional<Map<String, Boolean>> nodes, Map<Work, String> failures) {
        return reporter(nodes, failures).report();
    }

    private Reporter reporter(Optional<Map<String, Boolean>> nodes, Map<Work, String> failures) {
        var rig = new ControllerRig(cluster, ControllerRig.isolated(), time);
        return new Reporter(ControllerRig.isolated(), rig.state(), nodes, failures);
    }

    private ClusterReport report() {
        return report(Optional.empty(), Map.of());
    }

    @Test
    void domainsAreToldByNamespaceAndNameWithTheirChannelsAndNodes() {
        DomainObject second = cluster.createDomain("second", "second-channel");
        cluster.createDomain("first", "first-channel");
        var named = new DomainName(second.uid(), "team", "second");
        cluster.hold("tray-2", ONE, 8, hold(named, 3));
        cluster.hold("tray-1", ONE, 8, hold(named));
        settled();

        ClusterReport report = report();

        assertThat(report.domains()).extracting(ClusterReport.Domain::name).containsExactly("first", "second");
        assertThat(report.domains().getFirst().places()).isEmpty();
        assertThat(report.domains().getLast()).satisfies(told -> {
            assertThat(told.ready()).isTrue();
            assertThat(told.places())
                    .containsExactly(
                            new ClusterReport.Place(ONE, Optional.of(new ChannelId(3)), List.of("tray-1", "tray-2")));
            assertThat(told.wrong()).isEmpty();
        });
    }

    @Test
    void whatTheControllerWouldSayIsWrongAndSoIsThatItHasNotComeYet() {
        cluster.createDomain("train", "train-channel");
        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("check that imex-controller runs");

        settled();
        cluster.createDomain("another", "train-channel");
        settled();

        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("train-channel exists already");
    }

    @Test
    void aCliqueIsToldWithItsNodesItsChannelsAndWhoHoldsThem() {
        Fabric.holds(cluster);
        settled();

        CliqueReport clique =
                report(Optional.of(Map.of("tray-1", false)), Map.of()).cliques().getFirst();

        assertThat(clique.clique()).isEqualTo(ONE);
        assertThat(clique.channels()).isEqualTo(OptionalInt.of(7));
        assertThat(clique.free()).isEqualTo(OptionalInt.of(5));
        assertThat(clique.entries())
                .extracting(CliqueReport.Entry::holders)
                .containsExactly(List.of("tray-1", "tray-2"), List.of("tray-1"));
        assertThat(clique.nodes())
                .extracting(CliqueReport.Node::state)
                .containsExactly(NodeState.NOT_READY, NodeState.MISSING);
        assertThat(clique.lostHolds()).isEqualTo(3);
        assertThat(clique.wrong()).isEmpty();
        assertThat(report().cliques().getFirst().lostHolds())
                .as("nobody looked")
                .isZero();
    }

    @Test
    void whereTheDriverHasMoreChannelsThanTheConfigurationGivesTheConfigurationCounts() {
        cluster.hold("tray-1", ONE, 2048);
        settled();

        assertThat(report().cliques().getFirst().channels()).isEqualTo(OptionalInt.of(127));
    }

    @Test
    void whatIsWrongWithACliqueIsTold() {
        Fabric.holds(cluster);
        assertThat(report().cliques().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("no table of its channels yet");

        settled();
        Stored<NvlinkClique> now = cluster.table(ONE).orElseThrow();
        cluster.restore(new Stored<>(
                now.name(), now.uid(), "", true, new NvlinkClique(8, table(entry(3, Fabric.BLUE, ASSIGNED)))));

        List<String> wrong = report(Optional.empty(), Map.of(new Work.Clique(ONE), "cannot write"))
                .cliques()
                .getFirst()
                .wrong();
        assertThat(wrong).hasSize(5);
        assertThat(wrong).anyMatch(told -> told.contains("team/blue, but its channel there is 3"));
        assertThat(wrong).anyMatch(told -> told.contains("end the pods of team/red on tray-1"));
        assertThat(wrong).contains("cannot write");
        assertThat(wrong.getLast()).contains("its table is being deleted");
    }

    @Test
    void cliquesAreCounted() {
        Fabric.holds(cluster);
        cluster.hold("tray-9", Fabric.TWO, 0);
        settled();

        FabricCounts counts = reporter(Optional.of(Map.of("tray-1", true, "tray-9", true)), Map.of())
                .counts();

        assertThat(counts.cliques()).hasSize(2);
        assertThat(counts.used()).isEqualTo(2);
        assertThat(counts.free()).isEqualTo(5);
        assertThat(counts.leastFree()).isEqualTo(5);
        assertThat(counts.conflicts()).isZero();
        assertThat(counts.lostHolds()).isEqualTo(1);
        assertThat(reporter(Optional.empty(), Map.of()).counts().lostHolds()).isNaN();
    }
}
