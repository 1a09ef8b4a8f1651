package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.kubelet.ClaimResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A second agent on a node is one too many. */
@ExtendWith(Worlds.class)
class TwoAgentsIT {

    @Test
    void theSecondIsRefusedAndTheFirstUndisturbed(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentProcess first = world.startServing();
        int registrations = world.registrations();

        AgentProcess second = world.start(world.launch());

        assertThat(second.awaitExit()).isEqualTo(1);
        assertThat(String.join("\n", second.log()))
                .contains("another process listens on")
                .contains("stop it, then start this agent again")
                .doesNotContain("\tat ");
        assertThat(first.isAlive()).isTrue();
        assertThat(world.registrations()).isEqualTo(registrations);
        assertThat(world.prepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
        assertThat(world.unprepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
    }

    /** What a start had asked the API server, it takes back itself when it is refused. */
    @Test
    void aRefusedStartLogsNoApiError(World world) throws Exception {
        AgentProcess first = world.startServing();

        for (int round = 0; round < 3; round++) {
            AgentProcess refused = world.start(world.launch());
            assertThat(refused.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", refused.log()))
                    .contains("another process listens on")
                    .doesNotContain("API server not usable", "watch failed", "kind=");
        }
        assertThat(first.isAlive()).isTrue();
    }

    @Test
    void ofTwoThatStartAtTheSameMomentOneServesAndTheOtherSaysWhyNot(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        AgentLaunch launch = world.launch();
        for (int round = 0; round < 3; round++) {
            int before = world.registrations();
            AgentProcess one = world.start(launch);
            AgentProcess other = world.start(launch);

            one.awaitTrue("one of them to give way", () -> !one.isAlive() || !other.isAlive());
            AgentProcess winner = one.isAlive() ? one : other;
            AgentProcess loser = one.isAlive() ? other : one;

            assertThat(loser.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", loser.log()))
                    .containsAnyOf("another imex-agent runs or starts on this node", "another process listens on")
                    .contains("stop it, then start this agent again")
                    .doesNotContain("\tat ");
            winner.awaitTrue("the kubelet to register it", () -> world.registrations() > before);
            world.awaitPrepared(winner, workload);
            assertThat(winner.isAlive()).isTrue();
            assertThat(world.unprepare(workload)).isInstanceOf(ClaimResult.ClaimDone.class);
            assertThat(winner.terminate()).isZero();
        }
    }
}
