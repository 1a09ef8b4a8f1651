package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.kubelet.ClaimResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** SIGKILL in the middle of calls, at another moment each time: also between an effect's own steps. */
@ExtendWith(Worlds.class)
class KillsE2e {
    private static final int ROUNDS = 6;

    @Test
    void whatWasAnsweredBeforeAKillStillHoldsAfterIt(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
        for (int round = 0; round < ROUNDS; round++) {
            AgentProcess agent = world.startRegistered(world.launch());
            boolean prepared = answeredBeforeKill(agent, round, () -> world.prepare(workload));
            AgentProcess next = world.startRegistered(world.launch());
            if (prepared) {
                assertThat(world.checkpoint()).contains(workload.claim().uid());
                assertThat(world.host().cdiFiles(workload.claim().uid())).hasSize(1);
            }
            world.awaitPrepared(next, workload);

            boolean unprepared = answeredBeforeKill(next, round, () -> world.unprepare(workload));
            AgentProcess last = world.startRegistered(world.launch());
            if (unprepared) {
                assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
                assertThat(world.host().cdiFiles()).isEmpty();
            }
            world.awaitUnprepared(last, workload);
            last.kill();
        }
    }

    /** Calls the agent and kills it meanwhile, later from round to round; says whether it had answered. */
    private static boolean answeredBeforeKill(AgentProcess agent, int round, Supplier<ClaimResult> call)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Boolean> answered = CompletableFuture.supplyAsync(() -> {
            try {
                return call.get() instanceof ClaimResult.ClaimDone;
            } catch (StatusRuntimeException killed) {
                return false;
            }
        });
        TimeUnit.MILLISECONDS.sleep(4L * round);
        agent.kill();
        return answered.get();
    }
}
