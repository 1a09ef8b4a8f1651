package io.imexagent.controller.work;

import static io.imexagent.controller.fake.Fabric.ONE;
import static io.imexagent.controller.fake.Fabric.RED;
import static io.imexagent.controller.fake.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.fake.Bench;
import io.imexagent.controller.fake.FakeCluster;
import io.imexagent.controller.plan.Work;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LostNodesTest {

    private static final Work TRAY = new Work.Node("tray-1");

    private final FakeCluster cluster = new FakeCluster();
    private final Bench.Time time = new Bench.Time();

    private Bench holding() {
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));
        cluster.hold("tray-2", ONE, 8);
        Bench bench = new Bench(cluster, Bench.isolated(), time);
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
        Bench bench = holding();
        missing();

        assertThat(bench.work(new Work.Round()))
                .isEqualTo(new Reconciler.Outcome.Settled(Optional.of(Duration.ofMinutes(5))));
        assertThat(bench.work(TRAY)).isEqualTo(new Reconciler.Outcome.Settled(Optional.of(Bench.LOST_AFTER)));
        time.pass(Bench.LOST_AFTER.minusMillis(1));
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
        Bench bench = holding();
        int before = bench.client().calls().size();

        bench.work(new Work.Round());
        bench.settle();
        time.pass(Bench.LOST_AFTER);
        bench.work(TRAY);

        assertThat(bench.client().calls().stream().skip(before)).containsExactly("list Node");
        assertThat(there()).isTrue();
    }

    @Test
    void anAgentThatWritesWhileItsNodeIsMissingKeepsWhatItHolds() {
        Bench bench = holding();
        missing();
        bench.work(new Work.Round());

        for (int i = 0; i < 4; i++) {
            time.pass(Bench.LOST_AFTER);
            cluster.hold("tray-1", ONE, 8, hold(RED, 3));
            bench.settle();
            bench.work(TRAY);
        }
        assertThat(there()).isTrue();

        time.pass(Bench.LOST_AFTER);
        bench.work(TRAY);
        assertThat(there()).isFalse();
    }

    @Test
    void aWriteThatTheWatchHasNotToldYetWins() {
        Bench bench = holding();
        missing();
        bench.work(new Work.Round());
        time.pass(Bench.LOST_AFTER);
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));

        assertThat(bench.work(TRAY)).isInstanceOf(Reconciler.Outcome.Failed.class);

        assertThat(there()).isTrue();
    }

    @Test
    void aNodeThatCameBackKeepsWhatItHolds() {
        Bench bench = holding();
        missing();
        bench.work(new Work.Round());
        time.pass(Bench.LOST_AFTER);
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
        Bench bench = holding();
        missing();
        bench.work(new Work.Round());
        time.pass(Bench.LOST_AFTER);
        bench.reconciler().begin();

        bench.work(TRAY);
        assertThat(there()).isTrue();

        bench.work(new Work.Round());
        bench.work(TRAY);
        assertThat(there()).isTrue();
    }

    @Test
    void anObjectThatSomebodyDeletesStaysWhileItHoldsAndIsLetGoOtherwise() {
        Bench bench = holding();
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
        Bench bench = holding();
        cluster.kubernetesNode("tray-1", Optional.of(false));

        bench.work(new Work.Round());
        time.pass(Bench.LOST_AFTER.multipliedBy(9));
        bench.work(new Work.Round());
        bench.settle();

        assertThat(there()).isTrue();
        assertThat(bench.reconciler().nodes().orElseThrow()).containsEntry("tray-1", false);
    }
}
