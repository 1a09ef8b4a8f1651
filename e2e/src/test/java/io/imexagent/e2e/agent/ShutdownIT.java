package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.checkpoint.PluginLock;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.FaultAction;
import io.imexagent.testing.api.InjectedFault;
import io.imexagent.testing.api.LoggedRequest;
import io.imexagent.testing.api.access.RequestVerb;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How an agent ends. */
@ExtendWith(Worlds.class)
class ShutdownIT {

    @Test
    void aTerminatedAgentLeavesClaimsAndSliceAndTakesItsSockets(World world) throws Exception {
        ClaimedPod workload = world.schedule(1);
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
        ClaimedPod workload = world.schedule(1);
        InjectedFault hang =
                world.api().inject(LoggedRequest.of(RequestVerb.GET, "resourceclaims"), new FaultAction.Hang());
        try (KubeletDouble kubelet = patient(world)) {
            AgentProcess agent = startRegistered(world, kubelet);
            CompletableFuture<ClaimResult> answer =
                    CompletableFuture.supplyAsync(() -> kubelet.prepare(workload.claim()));
            CompletableFuture<Boolean> registeredThen = registeredWhenAnswered(world, answer);
            agent.awaitTrue("the call to wait for the API server", () -> hang.hits() > 0);

            assertThat(agent.terminate()).isZero();

            assertThat(World.refusal(answer.get(AgentProcess.LONG.toSeconds(), TimeUnit.SECONDS)))
                    .contains("[stopping]");
            assertThat(registeredThen.get())
                    .as("the registration socket goes first")
                    .isFalse();
        }
        assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
    }

    @Test
    void aCallThatWaitsForTheLockOfAnotherProcessIsAnsweredAndTheStopTakesFiveSecondsAtMost(World world)
            throws Exception {
        ClaimedPod workload = world.schedule(1);
        try (KubeletDouble kubelet = patient(world)) {
            AgentProcess agent = startRegistered(world, kubelet);
            try (var lock = new PluginLock(world.host().pluginDirectory().resolve("pu.lock"));
                    var held = lock.acquire(AgentProcess.LONG)) {
                assertThat(held).isNotNull();
                CompletableFuture<ClaimResult> answer =
                        CompletableFuture.supplyAsync(() -> kubelet.prepare(workload.claim()));
                CompletableFuture<Boolean> registeredThen = registeredWhenAnswered(world, answer);
                agent.awaitTrue(
                        "the claim to be in work",
                        () -> world.metric(agent, "nvidia_dra_requests_inflight") == 1
                                && world.api().requests().count("get", "resourceclaims") > 0);

                long began = System.nanoTime();
                assertThat(agent.terminate()).isZero();

                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
                assertThat(World.refusal(answer.get(AgentProcess.LONG.toSeconds(), TimeUnit.SECONDS)))
                        .contains("[stopping]");
                assertThat(registeredThen.get())
                        .as("the registration socket goes first")
                        .isFalse();
            }
        }
        assertThat(world.host().draSocket()).doesNotExist();
        assertThat(world.checkpoint()).doesNotContain(workload.claim().uid());
    }

    @Test
    void anAgentThatWaitsForTheLockAtItsStartEndsWhenItIsTold(World world) throws Exception {
        Files.createDirectories(world.host().pluginDirectory());
        try (var lock = new PluginLock(world.host().pluginDirectory().resolve("pu.lock"));
                var held = lock.acquire(AgentProcess.LONG)) {
            assertThat(held).isNotNull();
            AgentProcess agent = world.start(world.launch());
            agent.awaitHttpPort();

            long began = System.nanoTime();
            assertThat(agent.terminate()).isZero();

            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
            assertThat(String.join("\n", agent.log()))
                    .contains("imex-agent stopped")
                    .doesNotContain("\tat ");
        }
        assertThat(world.registrations()).isZero();
    }

    @Test
    void anAgentWhosePortIsTakenNeverRegisters(World world) throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            AgentProcess agent = world.with("http.address", "127.0.0.1")
                    .with("http.port", Integer.toString(taken.getLocalPort()))
                    .start(world.launch());

            assertThat(agent.awaitExit()).isEqualTo(1);
            assertThat(String.join("\n", agent.log()))
                    .contains("cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .contains("free the port, or set http.address and http.port")
                    .doesNotContain("listening for the kubelet");
        }
        assertThat(world.registrations()).isZero();
        assertThat(world.slices()).isEmpty();
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

    /** A kubelet that keeps its connection when the registration socket goes, until the agent has ended. */
    private static KubeletDouble patient(World world) throws IOException {
        world.kubelet().close();
        return KubeletDouble.start(KubeletOptions.in(world.host().kubeletRoot()).deregisteringAfter(AgentProcess.LONG));
    }

    private static AgentProcess startRegistered(World world, KubeletDouble kubelet)
            throws IOException, InterruptedException {
        AgentProcess agent = world.with("prepare.answerWithin", "40s").start(world.launch());
        agent.awaitTrue("the registration", () -> !kubelet.plugins().isEmpty());
        return agent;
    }

    private static CompletableFuture<Boolean> registeredWhenAnswered(
            World world, CompletableFuture<ClaimResult> answer) {
        return answer.thenApply(given -> Files.exists(world.host().registrationSocket()));
    }
}
