package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.RED;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LostNodesTest {

    private static final ReconcileKey TRAY = new ReconcileKey.NodeKey("tray-1");

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private ControllerRig holding() {
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));
        cluster.hold("tray-2", ONE, 8);
        ControllerRig bench = new ControllerRig(cluster, ControllerRig.isolated(), time);
        bench.settle();
        return bench;
    }

    private void missing() {
        cluster.kubernetesNode("tray-1", Optional.empty());
    }

    private boolean there() {
        return cluster.nodes().containsKey("tray-1");
    }

    @Test
    void aNodeThatIsMissingAndSilentForLongEnoughIsLostAndItsChannelsAreFree() {
        ControllerRig bench = holding();
        missing();

        assertThat(bench.work(new ReconcileKey.ResyncKey()))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(Duration.ofMinutes(5))));
        assertThat(bench.work(TRAY))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(ControllerRig.LOST_AFTER)));
        time.pass(ControllerRig.LOST_AFTER.minusMillis(1));
        bench.work(TRAY);
        assertThat(there()).isTrue();
        time.pass(Duration.ofMillis(1));
        bench.work(TRAY);
        bench.settle();

        assertThat(there()).isFalse();
        assertThat(cluster.table(ONE).orElseThrow().content().table().entries()).isEmpty();
    }

    @Test
    void theObjectOfANodeSaysThatItsNodeDoesNotAnswerAndSinceWhen() {
        ControllerRig bench = holding();
        Instant lost = time.instant();
        cluster.kubernetesNode("tray-1", Optional.of(false));
        bench.work(new ReconcileKey.ResyncKey());
        assertThat(outage()).contains(new Outage(Outage.OutageState.NOT_READY, lost));

        time.pass(Duration.ofMinutes(3));
        missing();
        bench.settle();
        bench.work(new ReconcileKey.ResyncKey());
        assertThat(outage()).contains(new Outage(Outage.OutageState.MISSING, lost));

        cluster.kubernetesNode("tray-1", Optional.of(true));
        bench.settle();
        bench.work(new ReconcileKey.ResyncKey());
        assertThat(outage()).isEmpty();
    }

    @Test
    void whatItSaysOfANodeIsNoSignOfThatNodesLife() {
        ControllerRig bench = holding();
        missing();
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertThat(outage()).isPresent();

        time.pass(ControllerRig.LOST_AFTER);
        bench.work(TRAY);
        bench.settle();

        assertThat(there()).isFalse();
    }

    @Test
    void anOlderDefinitionThatDropsItIsWrittenOnce() {
        cluster.prunes(true);
        ControllerRig bench = holding();
        cluster.kubernetesNode("tray-1", Optional.of(false));
        for (int round = 0; round < 3; round++) {
            bench.work(new ReconcileKey.ResyncKey());
            bench.settle();
        }

        assertThat(bench.client().calls()).containsOnlyOnce("patch NVLinkNode");
    }

    private ControllerRig allLost(int nodes) {
        for (int i = 0; i < nodes; i++) {
            cluster.hold("tray-" + i, ONE, 8);
        }
        var bench = new ControllerRig(cluster, ControllerRig.isolated(), time);
        bench.settle();
        for (int i = 0; i < nodes; i++) {
            cluster.kubernetesNode("tray-" + i, Optional.of(false));
        }
        return bench;
    }

    private long marked() {
        return cluster.nodes().values().stream()
                .filter(node -> node.outage().isPresent())
                .count();
    }

    @Test
    void aRoundMarksSomeNodesAndTheNextTheOthers() {
        ControllerRig bench = allLost(300);

        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isEqualTo(256);

        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isEqualTo(300);
    }

    @Test
    void aControllerThatLeadsNoMoreMarksNoFurtherNode() {
        ControllerRig bench = allLost(4);
        bench.client()
                .suspending((call, moment) -> bench.depose(bench.client().calls().stream()
                                .filter("patch NVLinkNode"::equals)
                                .count()
                        == 2));

        bench.work(new ReconcileKey.ResyncKey());

        assertThat(marked()).isEqualTo(2);
    }

    @Test
    void aNodeThatCannotBeMarkedIsInNobodysWay() {
        ControllerRig bench = allLost(4);
        int first = bench.client().calls().size() + 1;
        bench.client().cutting(call -> call == first ? Optional.of(FakeClient.Cut.REFUSED) : Optional.empty());

        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isEqualTo(3);

        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isEqualTo(4);
    }

    @Test
    void asManyAsARoundMarksThatAreRefusedKeepNoOtherWaiting() {
        ControllerRig bench = allLost(300);
        int first = bench.client().calls().size() + 1;
        bench.client()
                .cutting(call ->
                        call >= first && call < first + 256 ? Optional.of(FakeClient.Cut.REFUSED) : Optional.empty());

        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isZero();

        bench.client().cutting(call -> Optional.empty());
        bench.work(new ReconcileKey.ResyncKey());
        assertThat(marked()).isEqualTo(256);
        assertThat(IntStream.range(0, 300).mapToObj(i -> "tray-" + i).sorted().skip(256))
                .as("whose turn had not come")
                .allMatch(name -> Objects.requireNonNull(cluster.nodes().get(name))
                        .outage()
                        .isPresent());
    }

    @Test
    void aServerThatDoesNotAnswerIsAskedForNoFurtherMark() {
        ControllerRig bench = allLost(4);
        int first = bench.client().calls().size() + 1;
        bench.client().cutting(call -> call >= first ? Optional.of(FakeClient.Cut.BEFORE) : Optional.empty());

        bench.work(new ReconcileKey.ResyncKey());

        assertThat(bench.client().calls()).containsOnlyOnce("patch NVLinkNode");
    }

    /** It is of an earlier version and drops what it does not know. */
    @Test
    void whatAnAgentDropsIsSaidAgain() throws Exception {
        ControllerRig bench = holding();
        cluster.kubernetesNode("tray-1", Optional.of(false));
        bench.work(new ReconcileKey.ResyncKey());
        cluster.mark(Optional.ofNullable(cluster.nodes().get("tray-1")).orElseThrow(), Optional.empty());
        bench.settle();
        assertThat(outage()).isEmpty();

        bench.work(new ReconcileKey.ResyncKey());

        assertThat(outage()).isPresent();
    }

    @Test
    void aNodeThatComesWhileTheNodesAreListedIsNotLost() {
        ControllerRig bench = holding();
        bench.client().suspending((call, moment) -> {
            if (moment == FakeClient.Cut.AFTER && !cluster.nodes().containsKey("tray-3")) {
                cluster.hold("tray-3", ONE, 8, hold(RED, 3));
                bench.client().deliver(Integer.MAX_VALUE);
            }
        });
        bench.work(new ReconcileKey.ResyncKey());

        assertThat(outage("tray-3")).isEmpty();
        assertThat(bench.client().calls()).doesNotContain("patch NVLinkNode");
    }

    private Optional<Outage> outage() {
        return outage("tray-1");
    }

    private Optional<Outage> outage(String node) {
        return Optional.ofNullable(cluster.nodes().get(node)).orElseThrow().outage();
    }

    @Test
    void aRoundCostsOneListAndANodeThatIsThereNothing() {
        ControllerRig bench = holding();
        int before = bench.client().calls().size();

        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        time.pass(ControllerRig.LOST_AFTER);
        bench.work(TRAY);

        assertThat(bench.client().calls().stream().skip(before)).containsExactly("list Node");
        assertThat(there()).isTrue();
    }

    @Test
    void anAgentThatWritesWhileItsNodeIsMissingKeepsWhatItHolds() {
        ControllerRig bench = holding();
        missing();
        bench.work(new ReconcileKey.ResyncKey());

        for (int i = 0; i < 4; i++) {
            time.pass(ControllerRig.LOST_AFTER);
            cluster.hold("tray-1", ONE, 8, hold(RED, 3));
            bench.settle();
            bench.work(TRAY);
        }
        assertThat(there()).isTrue();

        time.pass(ControllerRig.LOST_AFTER);
        bench.work(TRAY);
        assertThat(there()).isFalse();
    }

    @Test
    void aWriteThatTheWatchHasNotToldYetWins() {
        ControllerRig bench = holding();
        missing();
        bench.work(new ReconcileKey.ResyncKey());
        time.pass(ControllerRig.LOST_AFTER);
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));

        assertThat(bench.work(TRAY)).isInstanceOf(Reconciler.TaskResult.TaskFailed.class);

        assertThat(there()).isTrue();
    }

    @Test
    void aNodeThatCameBackKeepsWhatItHolds() {
        ControllerRig bench = holding();
        missing();
        bench.work(new ReconcileKey.ResyncKey());
        time.pass(ControllerRig.LOST_AFTER);
        cluster.kubernetesNode("tray-1", Optional.of(false));

        bench.work(TRAY);
        assertThat(there()).isTrue();

        missing();
        bench.work(new ReconcileKey.ResyncKey());
        bench.work(TRAY);
        assertThat(there()).as("its time began again").isTrue();
    }

    @Test
    void whoBeginsToLeadCountsFromThereOn() {
        ControllerRig bench = holding();
        missing();
        bench.work(new ReconcileKey.ResyncKey());
        time.pass(ControllerRig.LOST_AFTER);
        bench.reconciler().begin();

        bench.work(TRAY);
        assertThat(there()).isTrue();

        bench.work(new ReconcileKey.ResyncKey());
        bench.work(TRAY);
        assertThat(there()).isTrue();
    }

    @Test
    void anObjectThatSomebodyDeletesStaysWhileItHoldsAndIsLetGoOtherwise() {
        ControllerRig bench = holding();
        cluster.delete("tray-1");
        bench.settle();
        assertThat(there()).isTrue();
        assertThat(cluster.table(ONE).orElseThrow().content().table().entries()).hasSize(1);

        cluster.hold("tray-1", ONE, 8);
        bench.settle();
        assertThat(there()).isFalse();

        cluster.hold("tray-1", ONE, 8);
        bench.settle();
        assertThat(there()).as("its agent has made it again").isTrue();
    }

    /** Seen on a real cluster: an agent that stopped a second after its last claim had not taken its report back. */
    @Test
    void aReportOfChannel0KeepsNoObjectThatSomebodyDeletes() {
        ControllerRig bench = holding();
        cluster.hold("tray-2", ONE, 8, hold(RED, 0));
        bench.settle();

        cluster.delete("tray-2");
        bench.settle();

        assertThat(cluster.nodes()).containsOnlyKeys("tray-1");
    }

    @Test
    void aNodeThatIsNotReadyKeepsWhatItHoldsAndIsKnown() {
        ControllerRig bench = holding();
        cluster.kubernetesNode("tray-1", Optional.of(false));

        bench.work(new ReconcileKey.ResyncKey());
        time.pass(ControllerRig.LOST_AFTER.multipliedBy(9));
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();

        assertThat(there()).isTrue();
        assertThat(bench.reconciler().nodes().orElseThrow().ready()).containsEntry("tray-1", false);
    }
}
