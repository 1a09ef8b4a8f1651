package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.api.object.ResourceType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What people read of a node in its NVLinkNode, under isolation {@code None}. */
@ExtendWith(Worlds.class)
class NodeObjectIT {

    @Test
    void theNodeTellsOfItsConnectionsWithoutIsolationToo(World world) throws Exception {
        world.host().imex().domain(3, "UP");
        AgentProcess agent = world.with("imex.health.interval", "1s").startServing();

        agent.awaitTrue(
                "all to be connected",
                () -> status(world).path("peers").asText().equals("2/2"));
        JsonNode connections = status(world).path("connections");
        assertThat(connections.path("connected").asText().split(" ")).hasSize(2);
        assertThat(connections.path("address").asText()).isNotEmpty();
        assertThat(status(world).path("imex").asText()).isEqualTo("up");

        world.host().imex().domain(3, "DEGRADED");

        agent.awaitTrue(
                "one to be lost",
                () -> status(world).at("/connections/lost").asText().split(" ").length == 1
                        && status(world).path("peers").asText().equals("1/2"));
        assertThat(status(world).path("imex").asText()).isEqualTo("degraded");
    }

    @Test
    void aClusterWithoutTheKindCostsOneLineOfTheLog(World world) throws Exception {
        world.api().withdraw(ResourceType.NVLINK_NODES);
        AgentProcess agent = world.with("imex.health.interval", "1s").startServing();
        agent.awaitTrue(
                "it to be found out", () -> agent.line("NVLinkNode not written").isPresent());

        world.host().imex().domain(3, "DEGRADED");
        agent.awaitTrue(
                "the change to be seen",
                () -> world.metric(agent, "imex_agent_imex_domain_state{state=\"degraded\"}") == 1);

        assertThat(agent.log().stream().filter(line -> line.contains("NVLinkNode")))
                .hasSize(1);
        assertThat(agent.isAlive()).isTrue();
    }

    @Test
    void theNodeSaysItsModeAndBehindItsAnswersWhoUsesChannelZero(World world) throws Exception {
        AgentProcess agent = world.startServing();
        agent.awaitTrue(
                "its mode", () -> status(world).path("isolation").asText().equals("None"));
        assertThat(status(world).path("mode").asText()).isEqualTo("Serving");
        ClaimedPod workload = world.schedule(1);

        world.awaitPrepared(agent, workload);
        agent.awaitTrue("the report", () -> holds(world).size() == 1);
        JsonNode hold = holds(world).path(0);
        assertThat(hold.path("channel").asInt(-1)).isZero();
        assertThat(hold.path("computeDomain").asText()).isEqualTo(workload.domainUid());
        assertThat(hold.path("namespace").asText()).isEqualTo(workload.claim().namespace());
        assertThat(hold.path("name").asText()).isNotEqualTo(workload.domainUid());

        world.awaitUnprepared(agent, workload);
        agent.awaitTrue("the end of it", () -> holds(world).isEmpty());
    }

    @Test
    void withoutTheKindClaimsArePreparedAndEndedAllTheSame(World world) throws Exception {
        world.api().withdraw(ResourceType.NVLINK_NODES);
        AgentProcess agent = world.startServing();
        ClaimedPod workload = world.schedule(1);

        world.awaitPrepared(agent, workload);
        world.awaitUnprepared(agent, workload);

        assertThat(agent.isAlive()).isTrue();
    }

    private static JsonNode status(World world) {
        return object(world).path("status");
    }

    private static JsonNode holds(World world) {
        return object(world).at("/spec/holds");
    }

    private static JsonNode object(World world) {
        return world.api()
                .get(ResourceType.NVLINK_NODES, "", World.NODE)
                .map(JsonNode.class::cast)
                .orElseGet(Json::object);
    }
}
