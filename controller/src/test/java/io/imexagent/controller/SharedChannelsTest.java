package io.imexagent.controller;

import static io.imexagent.controller.Fabric.ONE;
import static io.imexagent.controller.Fabric.TWO;
import static io.imexagent.controller.Fabric.hold;
import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.kubernetes.ControlPlane.DomainObject;
import io.imexagent.kubernetes.DomainCondition;
import io.imexagent.kubernetes.Events.Event;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** At most one ComputeDomain at a time may use channel 0 of a clique (seed 003); where two do, everybody is told. */
class SharedChannelsTest {

    private static final Duration LASTING = SharedChannels.LASTING.plusSeconds(1);

    private final FakeCluster cluster = new FakeCluster();
    private final ControllerRig.Time time = new ControllerRig.Time();
    private final ControllerRig rig = new ControllerRig(cluster, ControllerRig.shared(), time);
    private final DomainName train = named("train");
    private final DomainName serve = named("serve");

    private DomainName named(String name) {
        DomainObject made = cluster.createDomain(name, name + "-channel");
        return new DomainName(made.uid(), "team", name);
    }

    private String degraded(String domain) {
        return cluster.domain(domain).status().conditions().stream()
                .filter(condition -> condition.type().equals("Degraded"))
                .map(DomainCondition::reason)
                .findFirst()
                .orElseThrow();
    }

    private void lasts() {
        rig.settle();
        time.pass(LASTING);
        rig.settle();
    }

    private Reporter reporter() {
        return new Reporter(
                ControllerRig.shared(),
                rig.state(),
                Optional.of(new NodeListing(Map.of("tray-1", true), Map.of(), 0)),
                Map.of(),
                Map.of());
    }

    @Test
    void twoComputeDomainsAtOnceInACliqueAreBothTold() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));

        lasts();

        assertThat(degraded("train")).isEqualTo("ChannelShared");
        assertThat(degraded("serve")).isEqualTo("ChannelShared");
        assertThat(cluster.domain("train").ready()).isTrue();
        assertThat(cluster.events()).extracting(Event::reason).containsExactly("ChannelShared", "ChannelShared");
        assertThat(cluster.events().getFirst().message()).contains(ONE.text(), "channel 0");
        assertThat(cluster.tables).isEmpty();
    }

    @Test
    void oneComputeDomainOnManyNodesIsAsItShouldBe() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(train, 0));

        lasts();

        assertThat(degraded("train")).isEqualTo("AsExpected");
    }

    @Test
    void twoComputeDomainsInTwoCliquesAreAsTheyShouldBe() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", TWO, 8, hold(serve, 0));

        lasts();

        assertThat(degraded("train")).isEqualTo("AsExpected");
        assertThat(reporter().counts().shared()).isZero();
    }

    @Test
    void oneThatEndsWhileTheNextBeginsIsNoNews() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        rig.settle();
        time.pass(Duration.ofMinutes(2));
        cluster.hold("tray-1", ONE, 8, hold(serve, 0));
        rig.settle();
        time.pass(Duration.ofMinutes(5));
        rig.settle();

        assertThat(degraded("train")).isEqualTo("AsExpected");
        assertThat(cluster.events()).isEmpty();
    }

    @Test
    void theCliqueIsLookedAtAgainWhenItHasLastedLongEnough() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        rig.client().deliver(Integer.MAX_VALUE);

        assertThat(rig.work(new ReconcileKey.CliqueKey(ONE)))
                .isEqualTo(new Reconciler.TaskResult.TaskSettled(Optional.of(SharedChannels.LASTING)));
    }

    @Test
    void theConditionsGoWhenOneOfTheTwoEnds() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        lasts();

        cluster.hold("tray-2", ONE, 8);
        rig.settle();

        assertThat(degraded("train")).isEqualTo("AsExpected");
        assertThat(degraded("serve")).isEqualTo("AsExpected");
    }

    @Test
    void aNewLeaderTakesNothingBackAndSaysNothingTwice() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        lasts();
        int before = cluster.revision();

        var next = new ControllerRig(cluster, ControllerRig.shared(), time);
        next.settle();

        assertThat(degraded("train")).isEqualTo("ChannelShared");
        assertThat(cluster.revision()).isEqualTo(before);
    }

    /** Each that comes changes its own status, and none of the others'. */
    @Test
    void manyComputeDomainsOfATenantAreOneWriteEach() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        lasts();
        int before = Collections.frequency(rig.client().calls(), "patch ComputeDomain/status");

        for (int node = 3; node < 18; node++) {
            cluster.hold("tray-" + node, ONE, 8, hold(named("more-" + node), 0));
            rig.settle();
        }

        int after = Collections.frequency(rig.client().calls(), "patch ComputeDomain/status");
        assertThat(degraded("more-17")).isEqualTo("ChannelShared");
        assertThat(after - before).isLessThanOrEqualTo(15);
    }

    @Test
    void aNodeThatMovedCountsWhereItIs() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        cluster.at("tray-2", TWO);

        lasts();

        assertThat(degraded("train")).isEqualTo("AsExpected");
    }

    @Test
    void aNodeThatDoesNotAnswerKeepsNoChannelZero() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.kubernetesNode("tray-1", Optional.of(false));
        rig.work(new ReconcileKey.ResyncKey());

        lasts();

        assertThat(degraded("train")).isEqualTo("AsExpected");
        assertThat(reporter().counts().lostHolds()).isZero();
    }

    @Test
    void aLeftOverTableGoesThoughChannelZeroIsUsed() {
        var isolated = new ControllerRig(cluster, ControllerRig.isolated(), time);
        cluster.hold("tray-1", ONE, 8, hold(train, 3));
        isolated.settle();
        assertThat(cluster.table(ONE)).isPresent();

        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        rig.settle();

        assertThat(cluster.table(ONE)).isEmpty();
    }

    @Test
    void commandsShowWhoUsesChannelZeroAndWhereItIsShared() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, hold(serve, 0));
        rig.settle();

        ClusterReport report = reporter().report();

        assertThat(report.domains()).allSatisfy(domain -> {
            assertThat(domain.places()).singleElement().satisfies(place -> {
                assertThat(place.channel()).contains(new ChannelId(0));
                assertThat(place.nodes()).hasSize(1);
            });
            assertThat(domain.wrong()).singleElement().asString().contains("channel 0 at the same time");
        });
        assertThat(report.cliques())
                .singleElement()
                .satisfies(clique -> assertThat(clique.shared())
                        .contains("2 ComputeDomains use channel 0 at once, and their pods can map each other's memory:"
                                + " team/serve, team/train"));
        assertThat(reporter().counts().shared()).isEqualTo(1);
    }

    @Test
    void aHoldThatLooksForAChannelIsNotOneOfChannelZero() {
        cluster.hold("tray-1", ONE, 8, hold(train, 0));
        cluster.hold("tray-2", ONE, 8, new Hold(serve, Optional.empty()));

        lasts();

        assertThat(degraded("train")).isEqualTo("AsExpected");
    }
}
