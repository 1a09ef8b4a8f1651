package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.kubelet.ClaimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** SIGQUIT, which an operator sends to an agent that seems stuck: it prints what its threads do, and serves on. */
@ExtendWith(Worlds.class)
class ThreadDumpE2e {

    @Test
    void anAgentPrintsItsThreadsAndServesOn(World world) throws Exception {
        AgentProcess agent = world.startServing();
        int before = agent.log().size();

        agent.signal("QUIT");

        agent.awaitLine("Full thread dump");
        agent.awaitTrue("a thread with its stack", () -> {
            var dump = agent.log().subList(before, agent.log().size());
            return dump.stream().anyMatch(line -> line.startsWith("\"main\""))
                    && dump.stream().anyMatch(line -> line.contains("io.imexagent."));
        });
        assertThat(world.prepare(world.schedule(1))).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(agent.terminate()).isZero();
    }
}
