package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.ControlPlane.DomainStatus;
import io.imexagent.kubernetes.ControlPlane.TemplateObject;
import io.imexagent.kubernetes.ControlPlane.TemplateObject.TemplateContent;
import io.imexagent.kubernetes.ControlPlane.WatchUpdate;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.DomainCondition.ConditionStatus;
import io.imexagent.kubernetes.clique.DomainName;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The conditions of ComputeDomains, and what they cost. */
class StatusWriterTest {

    private static final String WRITE = "patch ComputeDomain/status";

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();

    private ControllerRig shared() {
        return new ControllerRig(cluster, ControllerRig.shared(), time);
    }

    private ControllerRig isolated() {
        return new ControllerRig(cluster, ControllerRig.isolated(), time);
    }

    private DomainObject train() {
        return cluster.createDomain("train", "train-channel");
    }

    /** A ComputeDomain with the condition {@code Billed}, which is not the controller's. */
    private void trainWithConditionOfAnother() {
        DomainObject made = train();
        var other = new DomainCondition("Billed", ConditionStatus.TRUE, "Paid", "", 1, ControllerRig.BEGIN);
        cluster.put(new DomainObject(
                made.ref(),
                1,
                false,
                List.of(),
                "train-channel",
                "Single",
                new DomainStatus(false, List.of(other)),
                ""));
    }

    private DomainCondition condition(String type) {
        return cluster.domain("train").status().conditions().stream()
                .filter(condition -> condition.type().equals(type))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no condition " + type));
    }

    private void assertCondition(String type, ConditionStatus status, String reason) {
        assertThat(condition(type).status()).as(type).isEqualTo(status);
        assertThat(condition(type).reason()).as(type).isEqualTo(reason);
    }

    private static int writes(ControllerRig bench) {
        return Collections.frequency(bench.client().calls(), WRITE);
    }

    private DomainName name(DomainObject domain) {
        return new DomainName(domain.uid(), "team", "train");
    }

    @Test
    void conditionsComeInTheOneCallThatSaysReady() {
        train();
        ControllerRig bench = shared();

        bench.settle();

        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertCondition("ChannelBound", ConditionStatus.UNKNOWN, "IsolationNone");
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
        assertThat(condition("Ready").generation()).isEqualTo(1);
        assertThat(condition("Ready").since()).isEqualTo(ControllerRig.BEGIN);
        assertThat(writes(bench)).isEqualTo(1);
    }

    @Test
    void aProblemIsTheReasonOfNotReadyAndOfDegradedUntilItIsOver() {
        TemplateObject foreign = cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"),
                false,
                List.of(),
                Map.of(),
                new TemplateContent.OtherTemplate(Optional.empty())));
        train();
        ControllerRig bench = shared();
        bench.settle();
        assertCondition("Ready", ConditionStatus.FALSE, "TemplateNameTaken");
        assertCondition("Degraded", ConditionStatus.TRUE, "TemplateNameTaken");
        assertThat(condition("Degraded").message()).contains("train-channel exists already");
        assertThat(cluster.domain("train").ready()).isFalse();
        assertThat(writes(bench)).isEqualTo(1);

        time.pass(Duration.ofMinutes(3));
        cluster.deleteTemplate(foreign.ref().uid());
        bench.settle();

        assertThat(cluster.domain("train").ready()).isTrue();
        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
        assertThat(condition("Ready").since()).isEqualTo(time.instant());
        assertThat(condition("ChannelBound").since()).isEqualTo(ControllerRig.BEGIN);
    }

    @Test
    void theTimeOfAConditionStaysWhileItsStatusDoes() {
        DomainObject made = train();
        shared().settle();
        Instant begin = condition("Ready").since();
        DomainObject now = cluster.domain("train");
        List<DomainCondition> others = now.status().conditions().stream()
                .map(is -> new DomainCondition(is.type(), is.status(), "Earlier", "", 0, is.since()))
                .toList();
        cluster.put(new DomainObject(
                now.ref(), 1, false, now.finalizers(), "train-channel", "Single", new DomainStatus(true, others), ""));
        time.pass(Duration.ofHours(1));

        shared().settle();

        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertThat(condition("Ready").since()).isEqualTo(begin);
        assertThat(made.uid()).isEqualTo(cluster.domain("train").uid());
    }

    @Test
    void whereTheServerDropsConditionsItIsAskedOnceByEachLeader() {
        cluster.prunes(true);
        for (int i = 0; i < 5; i++) {
            cluster.createDomain("train-" + i, "channel-" + i);
        }
        ControllerRig bench = shared();
        bench.settle();
        assertThat(writes(bench)).isEqualTo(5);
        assertThat(cluster.domains()).allMatch(DomainObject::ready);

        bench.settle();
        ControllerRig next = shared();
        next.settle();
        next.settle();

        assertThat(writes(bench)).isEqualTo(5);
        assertThat(writes(next)).isEqualTo(1);
    }

    @Test
    void onceTheServerKeepsConditionsANewLeaderWritesThem() {
        cluster.prunes(true);
        train();
        ControllerRig bench = shared();
        bench.settle();
        cluster.prunes(false);
        bench.settle();
        assertThat(cluster.domain("train").status().conditions()).isEmpty();

        bench.reconciler().begin();
        bench.settle();

        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertThat(shared().client().calls()).isEmpty();
    }

    @Test
    void conditionsOfOthersStay() {
        trainWithConditionOfAnother();

        shared().settle();

        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertCondition("Billed", ConditionStatus.TRUE, "Paid");
    }

    @Test
    void aChannelIsBoundWhileATableHasOne() {
        DomainObject made = train();
        ControllerRig bench = isolated();
        bench.settle();
        assertCondition("ChannelBound", ConditionStatus.FALSE, "NoChannel");

        time.pass(Duration.ofMinutes(1));
        cluster.hold("tray-1", ONE, 8, hold(name(made), 3));
        bench.settle();
        assertCondition("ChannelBound", ConditionStatus.TRUE, "ChannelAssigned");
        assertThat(condition("ChannelBound").since()).isEqualTo(time.instant());
        int before = writes(bench);

        cluster.hold("tray-2", ONE, 8, hold(name(made), 3));
        bench.settle();
        assertThat(writes(bench)).as("another node").isEqualTo(before);
        ControllerRig next = isolated();
        next.settle();
        assertThat(next.client().calls()).as("another controller").isEmpty();

        cluster.hold("tray-1", ONE, 8);
        cluster.hold("tray-2", ONE, 8);
        bench.settle();
        assertCondition("ChannelBound", ConditionStatus.FALSE, "NoChannel");
    }

    @Test
    void aComputeDomainIsDegradedWhileANodeThatHoldsItDoesNotAnswer() {
        DomainObject made = train();
        cluster.hold("tray-1", ONE, 8, hold(name(made), 3));
        cluster.hold("tray-2", ONE, 8, hold(name(made), 3));
        ControllerRig bench = isolated();
        bench.settle();
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");

        cluster.kubernetesNode("tray-2", Optional.of(false));
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertCondition("Degraded", ConditionStatus.TRUE, "NodesLost");
        assertThat(condition("Degraded").message()).contains("tray-2").doesNotContain("tray-1");
        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");

        cluster.kubernetesNode("tray-2", Optional.of(true));
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
    }

    @Test
    void aNewLeaderTakesNothingBackBeforeItHasAskedForNodes() {
        DomainObject made = train();
        cluster.hold("tray-1", ONE, 8, hold(name(made), 3));
        cluster.kubernetesNode("tray-1", Optional.of(false));
        ControllerRig bench = isolated();
        bench.settle();
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertCondition("Degraded", ConditionStatus.TRUE, "NodesLost");

        ControllerRig next = isolated();
        next.settle();
        assertThat(next.client().calls()).isEmpty();

        cluster.kubernetesNode("tray-1", Optional.of(true));
        next.work(new ReconcileKey.ResyncKey());
        next.settle();
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
    }

    @Test
    void aNewLeaderTakesNothingBackBeforeItHasReadTheTables() throws Exception {
        train();
        isolated().settle();
        DomainObject now = cluster.domain("train");
        List<DomainCondition> said = List.of(
                condition("Ready"),
                new DomainCondition(
                        "ChannelBound", ConditionStatus.TRUE, "ChannelAssigned", "m", 1, ControllerRig.BEGIN),
                new DomainCondition("Degraded", ConditionStatus.TRUE, "ChannelConflict", "m", 1, ControllerRig.BEGIN));
        DomainObject domain = cluster.put(new DomainObject(
                now.ref(), 1, false, now.finalizers(), "train-channel", "Single", new DomainStatus(true, said), ""));
        var state = new ClusterState(work -> {});
        var writer = new StatusWriter(new FakeClient(cluster), state, ControllerRig.isolated(), Optional::empty, time);

        assertThat(writer.waiting()).isTrue();
        assertThat(writer.write(domain, true, List.of())).isFalse();

        state.nodes.apply(new WatchUpdate.ObjectsListed<>(List.of(), "1"));
        state.tables.apply(new WatchUpdate.ObjectsListed<>(List.of(), "1"));
        assertThat(writer.waiting()).isFalse();
        assertThat(writer.write(domain, true, List.of())).isTrue();
        assertCondition("ChannelBound", ConditionStatus.FALSE, "NoChannel");
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
    }

    @Test
    void noChannelIsSaidOnlyAfterTheTablesHaveBeenRead() throws Exception {
        train();
        var state = new ClusterState(work -> {});
        var writer = new StatusWriter(new FakeClient(cluster), state, ControllerRig.isolated(), Optional::empty, time);

        writer.write(cluster.domain("train"), true, List.of());
        assertCondition("ChannelBound", ConditionStatus.UNKNOWN, "NotListed");
        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");

        state.nodes.apply(new WatchUpdate.ObjectsListed<>(List.of(), "1"));
        state.tables.apply(new WatchUpdate.ObjectsListed<>(List.of(), "1"));
        writer.write(cluster.domain("train"), true, List.of());
        assertCondition("ChannelBound", ConditionStatus.FALSE, "NoChannel");
    }

    @Test
    void whereOthersConditionsAreTooLargeOnlyTheirComputeDomainGetsNone() {
        trainWithConditionOfAnother();
        cluster.prunes(true);
        ControllerRig bench = shared();
        bench.settle();
        cluster.prunes(false);

        cluster.createDomain("next", "next-channel");
        bench.settle();

        assertThat(cluster.domain("next").status().conditions()).hasSize(3);
    }

    @Test
    void aNodeThatHoldsNoMoreDegradesNoMore() {
        DomainObject made = train();
        cluster.hold("tray-1", ONE, 8, hold(name(made), 3));
        cluster.kubernetesNode("tray-1", Optional.of(false));
        ControllerRig bench = isolated();
        bench.work(new ReconcileKey.ResyncKey());
        bench.settle();
        assertCondition("Degraded", ConditionStatus.TRUE, "NodesLost");

        cluster.hold("tray-1", ONE, 8);
        bench.settle();

        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
        assertCondition("ChannelBound", ConditionStatus.FALSE, "NoChannel");
    }

    private void asksForAll() {
        DomainObject made = train();
        cluster.put(new DomainObject(
                made.ref(), 1, false, List.of(), "train-channel", "All", new DomainStatus(false, List.of()), ""));
    }

    @Test
    void aModeThatIsIgnoredIsAConditionInTheOneCallThatSaysReady() {
        asksForAll();
        ControllerRig bench = shared();

        bench.settle();

        assertCondition("AllocationModeIgnored", ConditionStatus.TRUE, "HostManagedIMEX");
        assertThat(condition("AllocationModeIgnored").message()).contains("allocationMode \"All\" is ignored");
        assertCondition("Ready", ConditionStatus.TRUE, "TemplateReady");
        assertCondition("Degraded", ConditionStatus.FALSE, "AsExpected");
        assertThat(writes(bench)).isEqualTo(1);
    }

    @Test
    void aModeThatIsIgnoredStaysAConditionWhileSomethingElseIsWrong() {
        cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"),
                false,
                List.of(),
                Map.of(),
                new TemplateContent.OtherTemplate(Optional.empty())));
        asksForAll();

        shared().settle();

        assertCondition("Ready", ConditionStatus.FALSE, "TemplateNameTaken");
        assertCondition("AllocationModeIgnored", ConditionStatus.TRUE, "HostManagedIMEX");
    }

    @Test
    void aComputeDomainThatAsksForOneChannelHasNoConditionOfIgnoredModes() {
        train();

        shared().settle();

        assertThat(cluster.domain("train").status().conditions())
                .extracting(DomainCondition::type)
                .containsExactly("Ready", "ChannelBound", "Degraded");
    }

    @Test
    void aMessageIsCutSoThatItCanAlwaysBeReadAgain() {
        cluster.put(new TemplateObject(
                cluster.ref("team", "train-channel"),
                true,
                Collections.nCopies(30, "example.com/" + "x".repeat(60)),
                Map.of(),
                new TemplateContent.OtherTemplate(Optional.empty())));
        train();

        shared().settle();

        assertCondition("Degraded", ConditionStatus.TRUE, "TemplateHeld");
        assertThat(condition("Degraded").message()).hasSize(512).endsWith("…");
    }
}
