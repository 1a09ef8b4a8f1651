package io.imexagent.controller;

import static io.imexagent.controller.Fabric.BLUE;
import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.RED;
import static io.imexagent.controller.Fabric.TWO;
import static io.imexagent.controller.Fabric.entry;
import static io.imexagent.controller.Fabric.hold;
import static io.imexagent.controller.Fabric.table;
import static io.imexagent.kubernetes.clique.ChannelEntry.EntryState.ASSIGNED;
import static io.imexagent.kubernetes.clique.ChannelEntry.EntryState.RELEASING;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
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

        assertThat(cluster.table(ONE).orElseThrow().content())
                .isEqualTo(new NvlinkClique(2048, Optional.of("tray-1"), ChannelTable.EMPTY));
        assertThat(bench.client().calls())
                .containsExactly("get NVLinkClique", "list NVLinkNode", "create NVLinkClique");
    }

    @Test
    void theTableNamesTheNodeThatLowersItsLimitAndOneWithChannelZeroAloneLowersNothing() {
        cluster.hold("tray-3", ONE, 2048);
        cluster.hold("tray-2", ONE, 1);
        settled();
        assertThat(limitedBy()).contains("tray-3");

        cluster.hold("tray-4", ONE, 8);
        settled();
        assertThat(limit()).isEqualTo(8);
        assertThat(limitedBy()).contains("tray-4");

        cluster.hold("tray-1", ONE, 8);
        settled();
        assertThat(limitedBy()).contains("tray-1");
    }

    /** The server's definition is an older one, which does not have the field. */
    @Test
    void aNameThatIsDroppedIsNotWrittenAgain() {
        cluster.hold("tray-1", ONE, 8);
        settled();
        restore(channels());

        assertThat(settled().client().calls()).doesNotContain("update NVLinkClique", "get NVLinkClique");

        cluster.hold("tray-1", ONE, 8, hold(RED, 3));
        settled();
        assertThat(limitedBy()).as("with the next change of the table").contains("tray-1");
    }

    private Optional<String> limitedBy() {
        return cluster.table(ONE).orElseThrow().content().limitedBy();
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
        DomainName old = Fabric.domain("old");
        restore(table(entry(7, old, ASSIGNED)));
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
        restore(table(entry(3, blueName, ASSIGNED)));
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
        bench.settle();
        assertThat(bench.state().conflicts(ONE)).isEmpty();
        assertThat(cluster.events()).hasSize(4);
        assertThat(cluster.events().subList(2, 4)).allSatisfy(event -> {
            assertThat(event.warning()).isFalse();
            assertThat(event.reason()).isEqualTo("ChannelConflictOver");
        });
        assertThat(cluster.domains()).noneMatch(domain -> StatusWriter.degradedBy(domain, "ChannelConflict"));
    }

    /** Its agent came back without its object, so it knew no more than the UID; the other's ComputeDomain is gone. */
    @Test
    void aConflictIsToldWithTheNamesThatTheClusterHasAndTheUidOfWhatIsGone() {
        DomainObject red = cluster.createDomain("red", "red-channel");
        cluster.hold("tray-1", ONE, 8, hold(guessed(named(red)), 3));
        cluster.hold("tray-2", ONE, 8, hold(new DomainName(uid("gone"), "team", "train")));
        settled();
        restore(table(entry(3, new DomainName(uid("gone"), "team", "train"), ASSIGNED)));
        ControllerRig bench = controller();

        bench.settle();
        bench.settle();

        assertThat(cluster.events())
                .singleElement()
                .satisfies(event -> assertThat(event.message())
                        .contains(
                                "for ComputeDomain team/red, but that channel belongs to ComputeDomain team/train (deleted,"
                                        + " UID " + uid("gone") + ")")
                        .contains("end the pods of team/red on tray-1"));
    }

    /** Puts a table into the cluster that an older version has written, with these channels. */
    private void restore(ChannelTable channels) {
        Stored<NvlinkClique> now = cluster.table(ONE).orElseThrow();
        cluster.restore(
                new Stored<>(now.name(), now.uid(), "", false, new NvlinkClique(8, Optional.empty(), channels)));
    }

    private ControllerRig inConflict() {
        DomainName red = named(cluster.createDomain("red", "red-channel"));
        DomainName blue = named(cluster.createDomain("blue", "blue-channel"));
        cluster.hold("tray-1", ONE, 8, hold(red, 3));
        cluster.hold("tray-2", ONE, 8, hold(blue));
        settled();
        restore(table(entry(3, blue, ASSIGNED)));
        ControllerRig bench = controller();
        bench.settle();
        bench.settle();
        return bench;
    }

    private List<String> toldThatItIsOver() {
        return cluster.events().stream()
                .filter(event -> event.reason().equals("ChannelConflictOver"))
                .map(event -> event.about().name())
                .sorted()
                .toList();
    }

    @Test
    void nobodyIsToldThatAConflictIsOverOfAComputeDomainThatIsBeingDeleted() throws Exception {
        ControllerRig bench = inConflict();
        DomainObject red = cluster.domain("red");
        cluster.finalizers(red, List.of("resource.nvidia.com/computeDomain", "another/one"));
        cluster.deleteDomain(red.ref().uid());
        cluster.hold("tray-1", ONE, 8);
        bench.settle();
        bench.settle();
        controller().settle();

        assertThat(cluster.domain("red").deleting()).isTrue();
        assertThat(toldThatItIsOver()).containsExactly("blue");
    }

    @Test
    void thatAConflictIsOverIsToldOnceTheStatusSaysSo() {
        ControllerRig bench = inConflict();
        FakeClient client = bench.client();
        client.cutting(call -> client.calls().get(call).equals("patch ComputeDomain/status")
                ? Optional.of(FakeClient.Cut.REFUSED)
                : Optional.empty());
        cluster.hold("tray-1", ONE, 8);
        for (int i = 0; i < 4; i++) {
            bench.settle();
        }
        assertThat(toldThatItIsOver()).isEmpty();

        client.cutting(call -> Optional.empty());
        bench.settle();
        bench.settle();

        assertThat(toldThatItIsOver()).containsExactly("blue", "red");
    }

    @Test
    void aConflictIsTheSameOnceAComputeDomainOfItIsGone() {
        ControllerRig bench = inConflict();
        ChannelConflict before = bench.state().conflicts(ONE).getFirst();
        cluster.strip(cluster.domain("red"));
        bench.settle();

        ChannelConflict after = bench.state().conflicts(ONE).getFirst();

        assertThat(after).isNotEqualTo(before);
        assertThat(after.key()).isEqualTo(before.key());
    }

    @Test
    void aNamespaceThatIsBeingDeletedHidesNoConflict() {
        cluster.endNamespace("team");
        inConflict();

        assertThat(cluster.domains()).allMatch(domain -> StatusWriter.degradedBy(domain, "ChannelConflict"));
        assertThat(cluster.events()).isEmpty();
    }

    /** The one before it told the owners; what ended while nobody led is told by who leads next. */
    @Test
    void aNewLeaderTellsThatAConflictIsOverWhichItNeverSaw() {
        DomainObject red = cluster.createDomain("red", "red-channel");
        DomainName blueName = named(cluster.createDomain("blue", "blue-channel"));
        cluster.hold("tray-1", ONE, 8, hold(named(red), 3));
        cluster.hold("tray-2", ONE, 8, hold(blueName));
        settled();
        restore(table(entry(3, blueName, ASSIGNED)));
        ControllerRig first = controller();
        first.settle();
        first.settle();
        assertThat(cluster.events()).hasSize(2);
        cluster.hold("tray-1", ONE, 8);

        ControllerRig next = controller();
        next.settle();
        next.settle();

        assertThat(cluster.events().subList(2, cluster.events().size()))
                .hasSize(2)
                .allMatch(event -> event.reason().equals("ChannelConflictOver"));
    }

    private static DomainName guessed(DomainName domain) {
        return new DomainName(domain.uid(), domain.namespace(), domain.uid().value());
    }

    private static ComputeDomainUid uid(String name) {
        return new ComputeDomainUid("uid-of-" + name);
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

        assertThat(bench.work(new ReconcileKey.CliqueKey(ONE))).isInstanceOf(Reconciler.TaskResult.TaskFailed.class);
        assertThat(bench.client().calls()).containsExactly("get NVLinkClique");
        assertThat(bench.reconciler().failures().get(new ReconcileKey.CliqueKey(ONE)))
                .contains("cannot read NVLinkClique");

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
        assertThat(bench.reconciler().failures()).containsOnlyKeys(new ReconcileKey.CliqueKey(ONE));
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
                        said.status(),
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

        Reconciler.TaskResult outcome = bench.work(new ReconcileKey.CliqueKey(ONE));

        assertThat(bench.client().calls()).isEqualTo(LOOK);
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Reconciler.TaskResult.TaskSettled.class,
                        settled -> assertThat(settled.recheckAfter()).isPresent());
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
