package io.imexagent.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.NvlinkClique;
import java.util.ArrayList;
import java.util.List;
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
                new NvlinkClique(8, Fabric.table(Fabric.entry(1, Fabric.RED, ChannelEntry.EntryState.ASSIGNED)))));
        state.watch(client);

        assertThat(state.cliquesOf(Fabric.RED.uid().value())).containsExactly(Fabric.ONE, Fabric.TWO);
        assertThat(state.cliquesOf(Fabric.BLUE.uid().value())).isEmpty();
    }

    @Test
    void aTableWithANameThatIsNoCliqueIsPassedOver() {
        cluster.restore(new Stored<>("nonsense", "table", "", false, new NvlinkClique(8, ChannelTable.EMPTY)));

        state.watch(client);

        assertThat(state.fabricListed()).isTrue();
        assertThat(state.cliques()).isEmpty();
        assertThat(state.everything()).isEmpty();
    }
}
