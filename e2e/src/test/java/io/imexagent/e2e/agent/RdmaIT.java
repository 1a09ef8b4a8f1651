package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.rdma.fixture.RdmaTree;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The RDMA side of a made-up GB200 tray, as the running agent and the commands tell it. */
@ExtendWith(Worlds.class)
class RdmaIT {

    @Test
    void theAgentFollowsUplinksWithoutARestart(World world) throws Exception {
        RdmaTree tree = RdmaTree.gb200(world.host().root());
        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .with("rdma.enabled", "true")
                .start(world.launch());
        agent.awaitTrue("the rails", () -> world.metric(agent, "imex_agent_rdma_rails") == 4);
        assertThat(world.metric(agent, "imex_agent_rdma_nics{class=\"uplink\"")).isEqualTo(2);

        tree.defaultRoute("rdma0");

        agent.awaitTrue("the new uplink", () -> world.metric(agent, "imex_agent_rdma_rails") == 3);
        assertThat(agent.log())
                .anyMatch(line -> line.contains("device=mlx5_0 class=uplink")
                        && line.contains("rdma0 carries the IPv4 default route"));
        assertThat(agent.terminate()).isZero();
    }

    @Test
    void theAgentTakesAnotherIncludeListOnSighup(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .with("rdma.enabled", "true")
                .start(world.launch());
        agent.awaitTrue("the rails", () -> world.metric(agent, "imex_agent_rdma_rails") == 4);

        world.with("rdma.include", "rdma2").launch();
        agent.hangUp();

        agent.awaitTrue("the one rail", () -> world.metric(agent, "imex_agent_rdma_rails") == 1);
    }

    @Test
    void anAgentThatIsNotAskedLooksAtNoNic(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .without("imex.isolation")
                .start(world.launch());
        agent.awaitTrue("the GPUs", () -> world.metric(agent, "imex_agent_gpus{name=\"NVIDIA GB200\"") == 4);

        assertThat(world.get(agent, "/metrics")).doesNotContain("imex_agent_rdma_");
    }

    @Test
    void theCommandsTellTheRailsAndWriteABundle(World world) throws Exception {
        RdmaTree.gb200(world.host().root());
        Path bundle = world.directory().resolve("bundle.json");

        assertThat(world.run(3, "rdma", "check"))
                .contains("4 of 8 NICs are offered", "rdma.enabled is off: the agent publishes none of these NICs");
        assertThat(world.run(0, "rdma", "show")).contains("rdma.enabled       false");
        assertThat(world.run(0, "rdma", "summary")).contains("NCCL_IB_HCA   =mlx5_0,mlx5_1,mlx5_4,mlx5_5");
        assertThat(world.run(1, "rdma", "check", "--peer", "rdma0")).contains("only here rdma1,rdma2,rdma3");
        assertThat(world.run(0, "rdma", "snapshot", "--to", bundle.toString()))
                .contains("mlx5_2 (enP6p3s0f0) has no usable RoCE v2 GID, and no container gets it (rule uplink)");

        JsonNode document = new ObjectMapper().readTree(Files.readString(bundle));
        assertThat(document.at("/rdma/nics")).hasSize(8);
        assertThat(document.at("/rdma/gpus")).hasSize(4);
        assertThat(document.at("/rdma/nics/0/nearestGpus")).hasSize(2);
    }
}
