package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.RED;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LostNodesTest {

    private static final Work TRAY = new Work.Node("tray-1");

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

        assertThat(bench.work(new Work.Round()))
                .isEqualTo(new Reconciler.Outcome.Settled(Optional.of(Duration.ofMinutes(5))));
        assertThat(bench.work(TRAY)).isEqualTo(new Reconciler.Outcome.Settled(Optional.of(ControllerRig.LOST_AFTER)));
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
    void aRoundCostsOneListAndANodeThatIsThereNothing() {
        ControllerRig bench = holding();
        int before = bench.client().calls().size();

        bench.work(new Work.Round());
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
        bench.work(new Work.Round());

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
        bench.work(new Work.Round());
        time.pass(ControllerRig.LOST_AFTER);
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));

        assertThat(bench.work(TRAY)).isInstanceOf(Reconciler.Outcome.Failed.class);

        assertThat(there()).isTrue();
    }

    @Test
    void aNodeThatCameBackKeepsWhatItHolds() {
        ControllerRig bench = holding();
        missing();
        bench.work(new Work.Round());
        time.pass(ControllerRig.LOST_AFTER);
        cluster.kubernetesNode("tray-1", Optional.of(false));

        bench.work(TRAY);
        assertThat(there()).isTrue();

        missing();
        bench.work(new Work.Round());
        bench.work(TRAY);
        assertThat(there()).as("its time began again").isTrue();
    }

    @Test
    void whoBeginsToLeadCountsFromThereOn() {
        ControllerRig bench = holding();
        missing();
        bench.work(new Work.Round());
        time.pass(ControllerRig.LOST_AFTER);
        bench.reconciler().begin();

        bench.work(TRAY);
        assertThat(there()).isTrue();

        bench.work(new Work.Round());
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

    @Test
    void aNodeThatIsNotReadyKeepsWhatItHoldsAndIsKnown() {
        ControllerRig bench = holding();
        cluster.kubernetesNode("tray-1", Optional.of(false));

        bench.work(new Work.Round());
        time.pass(ControllerRig.LOST_AFTER.multipliedBy(9));
        bench.work(new Work.Round());
        bench.settle();

        assertThat(there()).isTrue();
        assertThat(bench.reconciler().nodes().orElseThrow()).containsEntry("tray-1", false);
    }
}
