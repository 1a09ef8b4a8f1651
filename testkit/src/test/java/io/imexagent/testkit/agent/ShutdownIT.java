package io.imexagent.testkit.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.testkit.api.FaultAction;
import io.imexagent.testkit.api.FaultMatch;
import io.imexagent.testkit.api.InjectedFault;
import io.imexagent.testkit.api.access.Verb;
import io.imexagent.testkit.kubelet.ClaimResult;
import io.imexagent.testkit.process.AgentProcess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How an agent ends. */
@ExtendWith(Worlds.class)
class ShutdownIT {

    @Test
    void aTerminatedAgentLeavesClaimsAndSliceAndTakesItsSockets(World world) throws Exception {
        Workload workload = world.schedule(1);
        AgentProcess agent = world.startServing();
        world.prepare(workload);

        assertThat(agent.terminate()).isZero();

        assertThat(world.host().registrationSocket()).doesNotExist();
        assertThat(world.host().draSocket()).doesNotExist();
        assertThat(world.host().cdiFiles(workload.claim().uid())).hasSize(1);
        assertThat(world.slices()).hasSize(1);
        assertThat(world.startServing().terminate()).isZero();
    }

    @Test
    void aCallInFlightIsAnswered(World world) throws Exception {
        Workload workload = world.schedule(1);
        AgentProcess agent = world.with("prepare.answerWithin", "40s").startServing();
        InjectedFault hang = world.api().inject(FaultMatch.of(Verb.GET, "resourceclaims"), new FaultAction.Hang());
        CompletableFuture<ClaimResult> answer = CompletableFuture.supplyAsync(() -> world.prepare(workload));
        agent.awaitTrue("the call to wait for the API server", () -> hang.hits() > 0);

        assertThat(agent.terminate()).isZero();

        assertThat(World.refusal(answer.get(AgentProcess.LONG.toSeconds(), TimeUnit.SECONDS)))
                .contains("[stopping]");
        assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
    }

    @Test
    void anInvalidConfigurationIsRefusedWithAllItsFaults(World world) throws Exception {
        AgentProcess agent = world.without("imex.isolation")
                .with("http.prt", "1")
                .with("inventory.interval", "soon")
                .start(world.launch());

        assertThat(agent.awaitExit()).isEqualTo(78);
        assertThat(String.join("\n", agent.log()))
                .contains("imex.isolation", "None", "IMEXChannel", "IMEXDomain")
                .contains("http.prt", "http.port")
                .contains("inventory.interval", "soon")
                .doesNotContain("\tat ");
        assertThat(world.host().pluginDirectory()).doesNotExist();
    }
}
