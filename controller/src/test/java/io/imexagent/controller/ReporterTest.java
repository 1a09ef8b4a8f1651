package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.entry;
import static io.imexagent.controller.Fabric.hold;
import static io.imexagent.controller.Fabric.table;
import static io.imexagent.kubernetes.clique.ChannelEntry.EntryState.ASSIGNED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.ClusterReport.ReportedDomainState;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.Screen;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class ReporterTest {

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();
    private Map<String, UnreadObjects> unread = Map.of();

    private void settled() {
        new ControllerRig(cluster, ControllerRig.isolated(), time).settle();
    }

    /** What a process sees that has just listed everything. */
    private ClusterReport report(Optional<Map<String, Boolean>> nodes, Map<ReconcileKey, String> failures) {
        return reporter(nodes, failures).report();
    }

    private Reporter reporter(Optional<Map<String, Boolean>> nodes, Map<ReconcileKey, String> failures) {
        var rig = new ControllerRig(cluster, ControllerRig.isolated(), time);
        return new Reporter(
                ControllerRig.isolated(),
                rig.state(),
                nodes.map(ready -> new NodeListing(ready, Map.of(), rig.state().fabricChanges())),
                failures,
                unread);
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

        assertThat(report.domains())
                .extracting(ClusterReport.ReportedDomain::name)
                .containsExactly("first", "second");
        assertThat(report.domains().getFirst().places()).isEmpty();
        assertThat(report.domains().getLast()).satisfies(told -> {
            assertThat(told.state()).isEqualTo(ReportedDomainState.READY);
            assertThat(told.places()).singleElement().satisfies(place -> {
                assertThat(place.clique()).isEqualTo(ONE);
                assertThat(place.channel()).contains(new ChannelId(3));
                assertThat(place.nodes())
                        .extracting(CliqueReport.ReportedNode::text)
                        .containsExactly("tray-1", "tray-2");
            });
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
                .extracting(CliqueReport.ReportedChannel::holders)
                .containsExactly(List.of("tray-1", "tray-2"), List.of("tray-1"));
        assertThat(clique.nodes())
                .extracting(CliqueReport.ReportedNode::state)
                .containsExactly(ReportedNodeState.NOT_READY, ReportedNodeState.MISSING);
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
                now.name(),
                now.uid(),
                "",
                true,
                new NvlinkClique(8, Optional.empty(), table(entry(3, Fabric.BLUE, ASSIGNED)))));

        List<String> wrong = report(Optional.empty(), Map.of(new ReconcileKey.CliqueKey(ONE), "cannot write"))
                .cliques()
                .getFirst()
                .wrong();
        assertThat(wrong)
                .hasSize(4)
                .filteredOn(told -> told.startsWith("tray-1 has 2 conflicts of channels: "))
                .hasSize(1);
        assertThat(wrong).anyMatch(told -> told.contains("(deleted, UID uid-of-blue), but its channel there is 3"));
        assertThat(wrong)
                .anyMatch(told -> told.contains("end the pods of team/red (deleted, UID uid-of-red) on tray-1"));
        assertThat(wrong).contains("cannot write");
        assertThat(wrong.getLast()).contains("its table is being deleted");
    }

    @Test
    void aNodeThatDoesNotAnswerShowsWhereItHolds() {
        DomainObject train = cluster.createDomain("train", "train-channel");
        cluster.hold("tray-1", ONE, 8, hold(new DomainName(train.uid(), "team", "train"), 3));
        cluster.kubernetesNode("tray-1", Optional.of(false));
        var rig = new ControllerRig(cluster, ControllerRig.isolated(), time);
        rig.settle();
        rig.work(new ReconcileKey.ResyncKey());

        assertThat(report(Optional.of(Map.of("tray-1", false)), Map.of())
                        .domains()
                        .getFirst()
                        .places()
                        .getFirst()
                        .nodes())
                .extracting(CliqueReport.ReportedNode::text)
                .containsExactly("tray-1 (NotReady since " + time.instant() + ")");
    }

    @Test
    void aNodeThatIsNewerThanTheLastListIsNotMissing() {
        cluster.hold("tray-1", ONE, 8);
        var rig = new ControllerRig(cluster, ControllerRig.isolated(), time);
        var listing = new NodeListing(Map.of(), Map.of(), rig.state().fabricChanges());
        cluster.hold("tray-2", ONE, 8);
        cluster.hold("tray-1", ONE, 8);
        rig.settle();

        assertThat(new Reporter(ControllerRig.isolated(), rig.state(), Optional.of(listing), Map.of(), Map.of())
                        .cliques()
                        .getFirst()
                        .nodes())
                .extracting(CliqueReport.ReportedNode::state)
                .containsExactly(ReportedNodeState.MISSING, ReportedNodeState.UNKNOWN);
    }

    @Test
    void aComputeDomainThatIsGoneStandsBesideItsSuccessor() {
        DomainObject now = cluster.createDomain("train", "train-channel");
        var old = new DomainName(new ComputeDomainUid("uid-of-old"), "team", "train");
        cluster.hold("tray-1", ONE, 8, hold(old, 3), hold(new DomainName(now.uid(), "team", "train"), 5));
        settled();

        ClusterReport report = report();

        assertThat(report.domains())
                .extracting(ClusterReport.ReportedDomain::uid, ClusterReport.ReportedDomain::state)
                .containsExactly(
                        tuple(now.ref().uid(), ReportedDomainState.READY),
                        tuple("uid-of-old", ReportedDomainState.DELETED));
        assertThat(report.domains().getLast().places().getFirst().channel()).contains(new ChannelId(3));
        assertThat(ClusterDocument.domains(report.domains(), Screen.NONE)).contains("train (uid-of-old)", "Deleted");
        assertThat(ClusterDocument.cliques(report.cliques(), Screen.NONE))
                .contains("team/train (uid-of-old)", "team/train (" + now.ref().uid() + ")");
    }

    @Test
    void aComputeDomainThatIsNotKnownMayBeOneThatCannotBeRead() {
        var old = new DomainName(new ComputeDomainUid("uid-of-old"), "team", "train");
        cluster.hold("tray-1", ONE, 8, hold(old, 3));
        settled();
        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("end its pods");

        unread = Map.of("nvlinkcliques.imexagent.io", new UnreadObjects(1, List.of()));
        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("end its pods");

        unread = Map.of("computedomains.resource.nvidia.com", new UnreadObjects(1, List.of()));
        assertThat(report().domains().getFirst().wrong())
                .singleElement()
                .asString()
                .contains("gone, or cannot be read")
                .doesNotContain("end its pods");
    }

    @Test
    void theNodesThatLowerTheLimitOfACliqueAreNamed() {
        cluster.hold("tray-1", ONE, 2048);
        cluster.hold("tray-2", ONE, 8);
        cluster.hold("tray-3", ONE, 8);
        cluster.hold("tray-4", ONE, 1);
        settled();

        CliqueReport clique = report().cliques().getFirst();

        assertThat(clique.channels()).hasValue(7);
        assertThat(clique.limitedBy()).containsExactly("tray-2", "tray-3");
        assertThat(clique.limited())
                .get()
                .asString()
                .isEqualTo("tray-2, tray-3 have fewer IMEX channels than the other nodes, so workloads have 7 channels:"
                        + " load their drivers with as many");
        assertThat(ClusterDocument.cliques(report().cliques(), Screen.NONE)).contains("tray-2, tray-3 have fewer");
    }

    @Test
    void oneNodeThatLeavesOneChannelIsNamedInTheSingular() {
        cluster.hold("tray-1", ONE, 2048);
        cluster.hold("tray-2", ONE, 2);
        settled();

        assertThat(report().cliques().getFirst().limited())
                .contains("tray-2 has fewer IMEX channels than the other nodes, so workloads have 1 channel:"
                        + " load its driver with as many");
    }

    @Test
    void nodesThatHaveAsManyChannelsAsWorkloadsMayHaveLowerNothing() {
        cluster.hold("tray-1", ONE, 2048);
        cluster.hold("tray-2", ONE, 128);
        settled();

        assertThat(report().cliques().getFirst().limitedBy()).isEmpty();
    }

    @Test
    void theControllersIsolationIsWhatItSaysOfComputeDomains() {
        var rig = new ControllerRig(cluster, ControllerRig.shared(), time);
        cluster.hold("tray-1", ONE, 8);
        assertThat(rig.state().ofController()).isEmpty();
        cluster.createDomain("train", "train-channel");
        rig.settle();

        assertThat(rig.state().ofController()).contains(Isolation.NONE);
        settled();
        assertThat(new ControllerRig(cluster, ControllerRig.isolated(), time)
                        .state()
                        .ofController())
                .contains(Isolation.IMEX_CHANNEL);
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
