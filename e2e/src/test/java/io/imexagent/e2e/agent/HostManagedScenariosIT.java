package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.ResourceType;
import io.imexagent.testing.kubelet.ClaimResult;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the design of host-managed IMEX says that a node does not do, seen from outside. */
@ExtendWith(Worlds.class)
class HostManagedScenariosIT {

    @Test
    void prepareAndUnprepareWaitForNoComputeDomainAndWriteNothingOfTheDriverManagedMode(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        world.api().edit(ResourceType.COMPUTE_DOMAINS, World.NAMESPACE, "domain-1", domain -> {
            domain.withObject("/spec").put("numNodes", 5);
            domain.putObject("status").put("status", "NotReady");
        });
        AgentProcess agent = world.startServing();
        ObjectNode node = world.api().get(ResourceType.NODES, "", World.NODE).orElseThrow();
        world.api().requests().clear();

        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.unprepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);

        assertThat(world.api().get(ResourceType.NODES, "", World.NODE)).contains(node);
        assertThat(world.api().requests().counts().keySet())
                .filteredOn(call -> call.matches("(create|update|patch|delete) .*"))
                .as("writes")
                .isSubsetOf("create nvlinknodes", "update nvlinknodes", "create events", "patch events");
        assertThat(world.host().cdiFiles()).isEmpty();
        assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void prepareDoesNotAskForTheHostsImexWhichMayBeStopped(World world) throws Exception {
        world.host().imex().dead();
        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.with("imex.health.watch", "false").startServing();
        List<String> before = world.host().imex().calls();

        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);

        assertThat(world.host().imex().calls()).isEqualTo(before);
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void aHostWithoutANodeOfChannel0PreparesAndCheckWarns(World world) throws Exception {
        assertThat(world.host().root().resolve("dev/nvidia-caps-imex-channels/channel0"))
                .doesNotExist();

        assertThat(world.run(3, "check")).containsPattern("warning +channel-node +the host has no node of channel 0");

        ClaimedPod workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.host().cdiFiles().getFirst())
                .content()
                .contains("/dev/nvidia-caps-imex-channels/channel0", "\"major\" : 507");
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void theResolvedGatesStandInTheLog(World world) throws Exception {
        AgentProcess agent = world.startServing();

        assertThat(String.join("\n", agent.log()))
                .contains(
                        "HostManagedIMEX is enabled; forcing IMEXDaemonsWithDNSNames=false",
                        "HostManagedIMEX is enabled; forcing ComputeDomainCliques=false",
                        "feature gates resolved HostManagedIMEX=true IMEXDaemonsWithDNSNames=false"
                                + " ComputeDomainCliques=false");
        assertThat(agent.terminate()).isZero();
    }
}
