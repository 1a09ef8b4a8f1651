package io.imexagent.controller;

import static io.imexagent.controller.Fabric.BLUE;
import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.RED;
import static io.imexagent.controller.Fabric.TWO;
import static io.imexagent.controller.Fabric.entry;
import static io.imexagent.controller.Fabric.hold;
import static io.imexagent.controller.Fabric.table;
import static io.imexagent.kubernetes.clique.ChannelEntry.State.ASSIGNED;
import static io.imexagent.kubernetes.clique.ChannelEntry.State.RELEASING;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class CliqueTaskTest {

    private static final List<String> LOOK = List.of("get NVLinkClique", "list NVLinkNode");

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private ControllerRig controller() {
        return new ControllerRig(cluster, ControllerRig.isolated(), time);
    }

    private ControllerRig settled() {
        ControllerRig bench = controller();
        bench.settle();
        return bench;
    }

    private ChannelTable channels() {
        return cluster.table(ONE).orElseThrow().content().table();
    }

    private int limit() {
        return cluster.table(ONE).orElseThrow().content().limit();
    }

    @Test
    void theFirstNodeOfACliqueMakesItsTableWithThreeCalls() {
        cluster.hold("tray-1", ONE, 2048);

        ControllerRig bench = settled();

        assertThat(cluster.table(ONE).orElseThrow().content()).isEqualTo(new NvlinkClique(2048, ChannelTable.EMPTY));
        assertThat(bench.client().calls())
                .containsExactly("get NVLinkClique", "list NVLinkNode", "create NVLinkClique");
    }

    @Test
    void aNewTableIsFilledFromWhatNodesHold() {
        Fabric.holds(cluster);

        settled();

        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED), entry(5, BLUE, ASSIGNED)));
    }

    @Test
    void atRestNothingIsAsked() {
        Fabric.holds(cluster);
        settled();

        assertThat(settled().client().calls()).isEmpty();
    }

    @Test
    void theLimitIsTheLeastOfTheNodesThatSayTheirs() {
        cluster.hold("tray-1", ONE, 0);
        ControllerRig bench = settled();
        assertThat(limit()).isZero();

        cluster.hold("tray-1", ONE, 128);
        cluster.hold("tray-2", ONE, 64);
        cluster.hold("tray-3", ONE, 0);
        bench.settle();
        assertThat(limit()).isEqualTo(64);

        cluster.hold("tray-1", ONE, 0);
        cluster.hold("tray-2", ONE, 0);
        bench.settle();
        assertThat(limit()).as("while nobody says, what was said before").isEqualTo(64);
    }

    @Test
    void whatNobodyHoldsIsMarkedAndThenFreeInTwoStepsWithALookBeforeEach() {
        Fabric.holds(cluster);
        ControllerRig bench = settled();
        int before = bench.client().calls().size();
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));

        bench.settle();

        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED)));
        assertThat(bench.client().calls().stream().skip(before))
                .containsExactly(
                        LOOK.getFirst(),
                        LOOK.getLast(),
                        "update NVLinkClique",
                        LOOK.getFirst(),
                        LOOK.getLast(),
                        "update NVLinkClique");
    }

    @Test
    void aHoldThatCameBetweenMarkAndReleaseKeepsTheChannel() {
        Fabric.holds(cluster);
        settled();
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));
        ControllerRig bench = controller();
        bench.client().suspending((call, moment) -> {
            if (Optional.ofNullable(channels().entries().get(new ChannelId(5)))
                    .filter(entry -> entry.state() == RELEASING)
                    .isPresent()) {
                cluster.hold("tray-1", ONE, 8, hold(RED, 3), hold(BLUE));
            }
        });

        bench.settle();

        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED), entry(5, BLUE, ASSIGNED)));
    }

    @Test
    void theTableOfACliqueWithoutNodesGoes() {
        Fabric.holds(cluster);
        ControllerRig bench = settled();
        cluster.hold("tray-1", TWO, 8);
        cluster.hold("tray-2", TWO, 8);

        bench.settle();

        assertThat(cluster.table(ONE)).isEmpty();
        assertThat(cluster.table(TWO)).isPresent();
    }

    @Test
    void aTableThatSomebodyDeletesStaysWhileANodeHoldsAndIsMadeAnewAfterwards() {
        Fabric.holds(cluster);
        ControllerRig bench = settled();
        String uid = cluster.table(ONE).orElseThrow().uid();

        cluster.delete(ONE.text());
        bench.settle();
        assertThat(channels().entries()).hasSize(2);
        assertThat(cluster.table(ONE).orElseThrow().deleting()).isTrue();

        cluster.hold("tray-1", ONE, 8);
        cluster.hold("tray-2", ONE, 8);
        bench.settle();
        assertThat(cluster.table(ONE)).hasValueSatisfying(table -> {
            assertThat(table.uid()).isNotEqualTo(uid);
            assertThat(table.deleting()).isFalse();
            assertThat(table.content().limit()).isEqualTo(8);
        });
    }

    @Test
    void anOlderTableGetsWhatNodesHoldBeforeAnythingIsFreed() {
        Fabric.holds(cluster);
        settled();
        Stored<NvlinkClique> now = cluster.table(ONE).orElseThrow();
        DomainName old = Fabric.domain("old");
        cluster.restore(
                new Stored<>(now.name(), now.uid(), "", false, new NvlinkClique(8, table(entry(7, old, ASSIGNED)))));
        ControllerRig bench = controller();
        bench.client()
                .suspending((call, moment) -> assertThat(channels().entries().containsKey(new ChannelId(7)))
                        .as("the first write frees nothing, and adds what is missing")
                        .isEqualTo(channels().of(old.uid()).isPresent()));

        bench.settle();

        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED), entry(5, BLUE, ASSIGNED)));
    }

    @Test
    void aChannelThatAnOlderTableGivesToAnotherIsToldToBothAndCounted() {
        DomainObject red = cluster.createDomain("red", "red-channel");
        DomainObject blue = cluster.createDomain("blue", "blue-channel");
        DomainName redName = named(red);
        DomainName blueName = named(blue);
        cluster.hold("tray-1", ONE, 8, hold(redName, 3));
        cluster.hold("tray-2", ONE, 8, hold(blueName));
        settled();
        Stored<NvlinkClique> now = cluster.table(ONE).orElseThrow();
        cluster.restore(new Stored<>(
                now.name(), now.uid(), "", false, new NvlinkClique(8, table(entry(3, blueName, ASSIGNED)))));
        ControllerRig bench = controller();

        bench.settle();
        bench.settle();

        assertThat(cluster.events()).hasSize(2).allSatisfy(event -> {
            assertThat(event.warning()).isTrue();
            assertThat(event.reason()).isEqualTo("ChannelConflict");
            assertThat(event.message())
                    .contains("channel 3 of clique " + ONE, "belongs to ComputeDomain team/blue")
                    .contains("end the pods of team/red on tray-1 at once");
        });
        assertThat(cluster.events())
                .extracting(Event::about)
                .extracting(about -> about.name())
                .containsExactlyInAnyOrder("red", "blue");
        assertThat(cluster.domains()).as("what keeps no pod from starting").allMatch(DomainObject::ready);
        assertThat(bench.state().conflicts(ONE)).hasSize(1);

        cluster.hold("tray-1", ONE, 8);
        bench.settle();
        assertThat(bench.state().conflicts(ONE)).isEmpty();
    }

    private static DomainName named(DomainObject domain) {
        return new DomainName(
                domain.uid(), domain.ref().namespace(), domain.ref().name());
    }

    @Test
    void aTableThatCannotBeReadIsNeverWrittenOver() {
        Fabric.holds(cluster);
        cluster.unreadable(ONE.text(), true);
        ControllerRig bench = controller();

        assertThat(bench.work(new Work.Clique(ONE))).isInstanceOf(Reconciler.Outcome.Failed.class);
        assertThat(bench.client().calls()).containsExactly("get NVLinkClique");
        assertThat(bench.reconciler().failures().get(new Work.Clique(ONE))).contains("cannot read NVLinkClique");

        cluster.unreadable(ONE.text(), false);
        bench.settle();
        assertThat(channels().entries()).hasSize(2);
        assertThat(bench.reconciler().failures()).isEmpty();
    }

    @Test
    void aNodeThatCannotBeReadMightHoldAnything() {
        Fabric.holds(cluster);
        settled();
        cluster.hold("tray-1", ONE, 8);
        cluster.unreadable("tray-2", true);

        ControllerRig bench = controller();
        bench.settle();

        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED), entry(5, BLUE, ASSIGNED)));
        assertThat(bench.reconciler().failures()).containsOnlyKeys(new Work.Clique(ONE));
    }

    @Test
    void aNodeWhoseLabelsSomebodyTookAwayHoldsAllTheSame() {
        Fabric.holds(cluster);
        settled();
        Stored<NvlinkNode> tray =
                Optional.ofNullable(cluster.nodes().get("tray-1")).orElseThrow();
        NvlinkNode said = tray.content();
        cluster.put(new Stored<>(
                tray.name(),
                tray.uid(),
                "",
                false,
                new NvlinkNode(
                        said.session(),
                        said.write(),
                        new TreeSet<>(said.cliques()),
                        said.boot(),
                        said.channels(),
                        said.holds(),
                        said.sight(),
                        false)));
        cluster.hold("tray-2", ONE, 4, hold(RED, 3));

        settled();

        assertThat(limit()).as("it was looked at").isEqualTo(4);
        assertThat(channels()).isEqualTo(table(entry(3, RED, ASSIGNED), entry(5, BLUE, ASSIGNED)));
    }

    @Test
    void whatTheWatchesTellLateIsDecidedByTheServer() {
        Fabric.holds(cluster);
        settled();
        cluster.hold("tray-1", ONE, 8, hold(RED, 3));
        ControllerRig bench = controller();
        cluster.hold("tray-1", ONE, 8, hold(RED, 3), hold(BLUE));

        Reconciler.Outcome outcome = bench.work(new Work.Clique(ONE));

        assertThat(bench.client().calls()).isEqualTo(LOOK);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Reconciler.Outcome.Settled.class,
                        settled -> assertThat(settled.lookAgain()).isPresent());
        assertThat(channels().entries()).hasSize(2);
    }

    @Test
    void withoutIsolationNoTableIsMadeAndTheLastOneGoesOnceNobodyHolds() {
        Fabric.holds(cluster);
        var shared = new ControllerRig(cluster, ControllerRig.shared(), time);
        shared.settle();
        assertThat(cluster.table(ONE)).isEmpty();
        settled();

        new ControllerRig(cluster, ControllerRig.shared(), time).settle();
        assertThat(channels().entries()).hasSize(2);
        cluster.hold("tray-1", ONE, 8);
        cluster.hold("tray-2", ONE, 8);
        new ControllerRig(cluster, ControllerRig.shared(), time).settle();

        assertThat(cluster.table(ONE)).isEqualTo(Optional.empty());
    }
}
