package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.FabricIdentity;
import io.imexagent.kubernetes.clique.FabricLevel;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.RecordedRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClusterStateTest {

    private final FakeCluster cluster = new FakeCluster();
    private final FakeClient client = new FakeClient(cluster);
    private final List<ReconcileKey> concerned = new ArrayList<>();
    private final ClusterState state = new ClusterState(concerned::add);

    private List<ReconcileKey> concerned() {
        client.deliver(Integer.MAX_VALUE);
        List<ReconcileKey> all = concerned.stream().distinct().toList();
        concerned.clear();
        return all;
    }

    @Test
    void aNodeConcernsTheCliqueThatItComesToAndTheOneThatItLeaves() {
        state.watch(client);
        cluster.hold("tray-1", Fabric.ONE, 8);
        assertThat(concerned()).containsExactly(new ReconcileKey.CliqueKey(Fabric.ONE));

        cluster.hold("tray-1", Fabric.TWO, 8);
        assertThat(concerned())
                .containsExactlyInAnyOrder(
                        new ReconcileKey.CliqueKey(Fabric.ONE), new ReconcileKey.CliqueKey(Fabric.TWO));
        assertThat(state.nodesOf(Fabric.ONE)).isEmpty();

        cluster.delete("tray-1");
        assertThat(concerned()).contains(new ReconcileKey.NodeKey("tray-1"));
    }

    @Test
    void aDomainIsInTheCliquesThatHaveAChannelForItAndInThoseWhereItIsHeld() {
        cluster.hold("tray-1", Fabric.ONE, 8, Fabric.hold(Fabric.RED));
        cluster.restore(new Stored<>(
                Fabric.TWO.text(),
                "table",
                "",
                false,
                new NvlinkClique(
                        8,
                        Optional.empty(),
                        Fabric.table(Fabric.entry(1, Fabric.RED, ChannelEntry.EntryState.ASSIGNED)))));
        state.watch(client);

        assertThat(state.cliquesOf(Fabric.RED.uid().value())).containsExactly(Fabric.ONE, Fabric.TWO);
        assertThat(state.cliquesOf(Fabric.BLUE.uid().value())).isEmpty();
    }

    @Test
    void aTableWithANameThatIsNoCliqueIsPassedOver() {
        cluster.restore(new Stored<>(
                "nonsense", "table", "", false, new NvlinkClique(8, Optional.empty(), ChannelTable.EMPTY)));

        state.watch(client);

        assertThat(state.fabricListed()).isTrue();
        assertThat(state.cliques()).isEmpty();
        assertThat(state.everything()).isEmpty();
    }

    private static Stored<FabricTest> test(Stored<NvlinkNode> node, Instant ended) {
        var run = new RecordedRun(
                "one",
                "alice",
                FabricLevel.MAP,
                ended,
                ended,
                List.of(
                        new RecordedRun.RecordedNode(node.name(), FabricIdentity.of(node), "- +"),
                        new RecordedRun.RecordedNode("gone", FabricIdentity.of(node), "+ -")));
        return new Stored<>(Fabric.ONE.text(), "test", "9", false, new FabricTest(List.of(run)));
    }

    private Reporter reporter() {
        return new Reporter(ControllerRig.isolated(), state, Optional.empty(), Map.of(), Map.of());
    }

    @Test
    void aResultOfTheFabricTestConcernsNoWorkAndChangesWhatIsShown() {
        Instant now = Instant.parse("2026-11-28T12:00:00Z");
        cluster.hold("tray-1", Fabric.ONE, 8);
        state.watch(client);
        assertThat(concerned()).isNotEmpty();
        long before = state.fabricChanges();

        client.tell(test(Objects.requireNonNull(cluster.nodes.get("tray-1")), now));

        assertThat(concerned()).isEmpty();
        assertThat(state.fabricChanges()).isGreaterThan(before);
        assertThat(state.countingRuns(now)).isEqualTo(1);
        assertThat(state.countingRuns(now.plus(Duration.ofHours(24)))).isZero();
        assertThat(reporter().fabric(now).proofs()).containsOnlyKeys(Fabric.ONE);
        assertThat(reporter().proofCounts(now).orElseThrow().pairs()).containsKeys("proven", "stale", "not_tried");
    }

    /** A cluster whose manifests are those of an earlier version: the controller works, and says nothing of proofs. */
    @Test
    void aClusterWithoutTheDefinitionOfFabricTestsIsListedAllTheSame() {
        cluster.testsFailure = Optional.of(
                new ApiFailure(ApiFailure.FailureKind.NOT_FOUND, "it does not serve fabrictests", Optional.empty()));
        cluster.hold("tray-1", Fabric.ONE, 8);

        state.watch(client);

        assertThat(state.listed()).isTrue();
        assertThat(state.fabricListed()).isTrue();
        assertThat(state.testsSettled()).isTrue();
        assertThat(reporter().fabric(Instant.EPOCH).proofs()).isEmpty();
        assertThat(reporter().proofCounts(Instant.EPOCH)).isEmpty();
    }
}
