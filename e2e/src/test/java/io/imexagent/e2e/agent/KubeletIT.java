package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletOptions;
import io.imexagent.testing.kubelet.Plugin;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The kubelet's ways: it restarts, wipes, rejects, is old, and asks again. */
@ExtendWith(Worlds.class)
class KubeletIT {

    @Test
    void aKubeletThatRestartsFindsTheAgentAndItsSliceAgain(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        ClaimResult answer = world.prepare(workload);
        int before = world.registrations();

        world.api().deleteSlicesOfNode(World.NODE);
        world.kubelet().restart();

        agent.awaitTrue("the registration", () -> world.registrations() > before);
        world.awaitSlice(agent);
        assertThat(world.prepare(workload)).isEqualTo(answer);
    }

    @Test
    void aKubeletThatRemovedTheSocketsGetsThemBack(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        int before = world.registrations();

        world.kubelet().restartOnCleanDirectory();

        agent.awaitTrue("the registration", () -> world.registrations() > before);
        world.awaitPrepared(agent, workload);
    }

    @Test
    void aRejectedRegistrationIsToldAndTriedAgain(World world) throws Exception {
        world.kubelet().rejectRegistrations("the endpoint does not please");
        AgentProcess agent = world.start(world.launch());

        agent.awaitLine("the endpoint does not please");
        agent.awaitTrue(
                "the rejection to count", () -> world.metric(agent, "imex_agent_registration_failures_total") >= 1);
        assertThat(world.get(agent, "/readyz")).startsWith("503");

        world.kubelet().acceptRegistrations();
        agent.awaitTrue("the registration", () -> !world.kubelet().plugins().isEmpty());
        world.awaitSlice(agent);
        agent.awaitTrue("readiness", () -> world.get(agent, "/readyz").startsWith("200"));
    }

    @Test
    void anOldKubeletIsServedOverItsVersion(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.kubelet().close();
        KubeletOptions old = KubeletOptions.in(world.host().kubeletRoot()).knowing(Plugin.V1BETA1);
        try (KubeletDouble kubelet = KubeletDouble.start(old)) {
            AgentProcess agent = world.start(world.launch());
            agent.awaitTrue("the registration", () -> !kubelet.plugins().isEmpty());

            assertThat(kubelet.plugin().registration().service()).isEqualTo(Plugin.V1BETA1);
            assertThat(kubelet.prepare(workload.claim())).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(kubelet.unprepare(workload.claim())).isInstanceOf(ClaimResult.ClaimDone.class);
        }
    }

    @Test
    void aClaimThatTookTheNameOfAnotherIsNotPreparedForIt(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        KubeletClaimRequest stale = new KubeletClaimRequest(
                workload.claim().namespace(), workload.claim().name(), Fixtures.uid(99));

        assertThat(World.refusal(world.kubelet().prepare(stale))).contains("got replaced", "[claim_replaced]");

        world.awaitPrepared(agent, workload);
    }

    @Test
    void aPreparedClaimIsAnsweredAfterItsObjectWasReplaced(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        ClaimResult answer = world.prepare(workload);
        world.api()
                .edit(
                        ResourceType.RESOURCE_CLAIMS,
                        World.NAMESPACE,
                        workload.claim().name(),
                        claim -> claim.withObject("/metadata").put("uid", Fixtures.uid(99)));

        assertThat(world.prepare(workload)).isEqualTo(answer);
        KubeletClaimRequest successor = new KubeletClaimRequest(
                workload.claim().namespace(), workload.claim().name(), Fixtures.uid(99));
        assertThat(World.refusal(world.kubelet().prepare(successor))).contains("[channel_held]");

        world.awaitUnprepared(agent, workload);
        assertThat(world.kubelet().prepare(List.of(successor)).get(successor.uid()))
                .isInstanceOf(ClaimResult.ClaimDone.class);
    }
}
