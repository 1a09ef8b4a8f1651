package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.TWO;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DomainCondition.ConditionStatus;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NodeMode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nodes and controllers whose modes or isolations differ. */
class NodeModesTest {

    private static final NodeMode SHARED = new NodeMode.ChannelMode(Isolation.NONE);
    private static final NodeMode ISOLATED = new NodeMode.ChannelMode(Isolation.IMEX_CHANNEL);
    private static final NodeMode OBSERVING = new NodeMode.ObservingMode();

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private ControllerRig shared() {
        return new ControllerRig(cluster, ControllerRig.shared(), time);
    }

    private ControllerRig isolated() {
        return new ControllerRig(cluster, ControllerRig.isolated(), time);
    }

    private DomainName train() {
        DomainObject made = cluster.createDomain("train", "train-channel");
        return new DomainName(made.uid(), "team", "train");
    }

    private void node(String name, CliqueId clique, NodeMode mode) {
        cluster.hold(name, clique, 8);
        cluster.mode(name, Optional.of(mode));
    }

    private DomainCondition degraded() {
        return cluster.domain("train").status().conditions().stream()
                .filter(condition -> condition.type().equals("Degraded"))
                .findFirst()
                .orElseThrow();
    }

    private List<String> wrong(ControllerRig rig, ControllerPolicy policy) {
        return new Reporter(
                        policy, rig.state(), Optional.of(new NodeListing(Map.of(), Map.of(), 0)), Map.of(), Map.of())
                .cliques().stream().flatMap(clique -> clique.wrong().stream()).toList();
    }

    @Test
    void nodesOfTheSameModeSayNothing() {
        DomainName train = train();
        node("tray-1", ONE, SHARED);
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.mode("tray-1", Optional.of(SHARED));
        ControllerRig rig = shared();

        rig.settle();

        assertThat(degraded().reason()).isEqualTo("AsExpected");
        assertThat(wrong(rig, ControllerRig.shared())).isEmpty();
    }

    @Test
    void anOlderNodeThatDoesNotSayIsNoDisagreement() {
        train();
        cluster.hold("tray-1", ONE, 8);
        ControllerRig rig = shared();

        rig.settle();

        assertThat(degraded().reason()).isEqualTo("AsExpected");
        assertThat(wrong(rig, ControllerRig.shared())).isEmpty();
    }

    @Test
    void whereNoNodeServesAsTheControllerDoesEveryComputeDomainIsTold() {
        train();
        node("tray-1", ONE, ISOLATED);
        node("tray-2", ONE, OBSERVING);
        ControllerRig rig = shared();

        rig.settle();

        assertThat(degraded().status()).isEqualTo(ConditionStatus.TRUE);
        assertThat(degraded().reason()).isEqualTo("NodesDiffer");
        assertThat(degraded().message()).contains("another isolation than this controller's, None");
        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.events())
                .singleElement()
                .satisfies(event -> assertThat(event.reason()).isEqualTo("NodesDiffer"));
        assertThat(wrong(rig, ControllerRig.shared()))
                .containsExactly(
                        "no pod gets a channel, since HostManagedIMEX is off, on tray-2",
                        "pods stay Pending, since the isolation is not the controller's (None), on tray-1");
    }

    @Test
    void whoHasNoConfigurationGoesByTablesAndElseByMostNodes() {
        ControllerRig rig = shared();
        assertThat(rig.state().isolation()).isEmpty();
        node("tray-1", ONE, OBSERVING);
        node("tray-2", ONE, ISOLATED);
        node("tray-3", ONE, SHARED);
        node("tray-4", ONE, SHARED);
        rig.settle();
        assertThat(rig.state().isolation()).contains(Isolation.NONE);

        ControllerRig other = isolated();
        other.settle();

        assertThat(other.state().isolation()).contains(Isolation.IMEX_CHANNEL);
    }

    @Test
    void theConditionGoesWithTheLastNodeThatDiffers() {
        train();
        node("tray-1", ONE, ISOLATED);
        ControllerRig rig = shared();
        rig.settle();
        assertThat(degraded().reason()).isEqualTo("NodesDiffer");

        cluster.mode("tray-1", Optional.of(SHARED));
        rig.settle();

        assertThat(degraded().reason()).isEqualTo("AsExpected");
    }

    @Test
    void aComputeDomainThatRunsElsewhereIsNotToldOfANodeInAnotherClique() {
        DomainName train = train();
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.mode("tray-1", Optional.of(SHARED));
        node("tray-9", TWO, OBSERVING);
        ControllerRig rig = shared();
        rig.settle();
        assertThat(degraded().reason()).isEqualTo("AsExpected");

        node("tray-2", ONE, OBSERVING);
        rig.settle();

        assertThat(degraded().reason()).isEqualTo("NodesDiffer");
    }

    @Test
    void oneNodeOfManyThatDiffersConcernsNoComputeDomainThatRunsNowhere() {
        train();
        node("tray-1", ONE, SHARED);
        node("tray-2", TWO, OBSERVING);

        shared().settle();

        assertThat(degraded().reason()).isEqualTo("AsExpected");
    }

    @Test
    void aNewControllerTakesTheConditionNotBackBeforeItHasReadTheNodes() throws Exception {
        train();
        node("tray-1", ONE, ISOLATED);
        shared().settle();
        var unread = new ClusterState(work -> {});
        var writer = new StatusWriter(new FakeClient(cluster), unread, ControllerRig.shared(), Optional::empty, time);

        assertThat(writer.write(cluster.domain("train"), true, List.of())).isFalse();
        assertThat(degraded().reason()).isEqualTo("NodesDiffer");
    }

    @Test
    void aTemplateInUseStaysUnderAControllerOfAnotherIsolationUntilNoNodeHolds() {
        DomainName train = train();
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.mode("tray-1", Optional.of(SHARED));
        shared().settle();
        TemplateObject before = cluster.templates().getFirst();

        ControllerRig rig = isolated();
        rig.settle();

        assertThat(cluster.templates().getFirst().ref().uid())
                .isEqualTo(before.ref().uid());
        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(degraded().reason()).isEqualTo("TemplateKept");
        assertThat(degraded().message()).contains("train-channel", "IMEXChannel", "until none does");

        cluster.hold("tray-1", ONE, 8);
        cluster.mode("tray-1", Optional.of(ISOLATED));
        rig.settle();

        assertThat(cluster.templates().getFirst().content())
                .isEqualTo(new TemplateContent.WorkloadTemplate(train.uid().value(), DriverNames.CHANNEL_CLASS));
        assertThat(degraded().reason()).isEqualTo("AsExpected");
    }

    @Test
    void aTemplateInUseStaysAlsoWhereTheServerDropsConditions() {
        cluster.prunes(true);
        DomainName train = train();
        cluster.hold("tray-1", ONE, 8, hold(train, 3));
        isolated().settle();

        ControllerRig rig = shared();
        rig.settle();
        assertThat(cluster.templates().getFirst().content())
                .isEqualTo(new TemplateContent.WorkloadTemplate(train.uid().value(), DriverNames.CHANNEL_CLASS));

        cluster.hold("tray-1", ONE, 8);
        rig.settle();

        assertThat(cluster.templates().getFirst().content())
                .isEqualTo(new TemplateContent.WorkloadTemplate(train.uid().value(), DriverNames.DEFAULT_CLASS));
    }

    @Test
    void aTemplateThatNoNodeUsesIsReplaced() {
        DomainName train = train();
        shared().settle();

        isolated().settle();

        assertThat(cluster.templates().getFirst().content())
                .isEqualTo(new TemplateContent.WorkloadTemplate(train.uid().value(), DriverNames.CHANNEL_CLASS));
    }

    @Test
    void beforeTheNodesAreReadNoTemplateOfAnotherIsolationIsReplaced() {
        DomainObject domain = cluster.createDomain("train", "train-channel");
        shared().settle();
        var planner = new DomainPlanner(ControllerRig.isolated());
        DomainObject ready = cluster.domain("train");
        TemplateObject template = cluster.templates().getFirst();

        var view = new DomainPlanner.DomainView(
                ready, Optional.of(template), false, List.of(template), List.of(), DomainUse.UNKNOWN);

        assertThat(planner.plan(view).step()).isEmpty();
        assertThat(planner.plan(view).problems()).isEmpty();
        assertThat(domain.uid()).isEqualTo(ready.uid());
    }

    @Test
    void aTemplateInUseThatSomebodyChangedIsReplaced() {
        DomainName train = train();
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        ControllerRig rig = shared();
        rig.settle();
        TemplateObject now = cluster.templates().getFirst();
        cluster.put(new TemplateObject(
                now.ref(),
                false,
                now.finalizers(),
                now.labels(),
                new TemplateContent.OtherTemplate(Optional.of(train.uid().value()))));

        rig.settle();

        assertThat(cluster.templates().getFirst().content())
                .isEqualTo(new TemplateContent.WorkloadTemplate(train.uid().value(), DriverNames.DEFAULT_CLASS));
    }
}
