package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.e2e.agent.ClaimedPod;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.kubelet.ClaimResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Claims for channels, with an agent that ends after each change of files that it makes: {@link CrashCuts}. */
class CrashCutsE2e {
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aPrepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = CrashCuts.each((world, changes) -> {
            ClaimedPod workload = world.schedule(1);
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> world.prepare(workload));
            if (lived) {
                assertPrepared(world, workload);
            }

            AgentProcess next = world.startRegistered(world.launch());
            ClaimResult.ClaimDone answer = world.awaitPrepared(next, workload);
            assertThat(answer.devices().getFirst().cdiDeviceIds()).containsExactly(workload.cdiDevice());
            assertPrepared(world, workload);

            world.awaitUnprepared(next, workload);
            assertNothingLeft(world);
            return lived;
        });

        assertThat(cuts).as("changes of a prepare").isGreaterThanOrEqualTo(2);
    }

    @Test
    void anUnprepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = CrashCuts.each((world, changes) -> {
            ClaimedPod workload = world.schedule(1);
            AgentProcess first = world.startRegistered(world.launch());
            world.awaitPrepared(first, workload);
            first.kill();
            // What the start itself does to bring files and checkpoint together is cut as well.
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> world.unprepare(workload));
            if (lived) {
                assertNothingLeft(world);
            }

            AgentProcess next = world.startRegistered(world.launch());
            world.awaitUnprepared(next, workload);
            assertNothingLeft(world);
            return lived;
        });

        assertThat(cuts).as("changes of an unprepare").isGreaterThanOrEqualTo(2);
    }

    @Test
    void aPrepareThatWasCutForAPodThatIsGoneStaysNotHalfDone() throws Exception {
        CrashCuts.each((world, changes) -> {
            // An administrator is told that a claim is gone; a node would be told that it may not know.
            Path kubeconfig =
                    world.api().writeKubeconfig(world.directory().resolve("admin"), new Login.TokenLogin("admin"));
            world.with("kubernetes.kubeconfig", kubeconfig.toString());
            ClaimedPod workload = world.schedule(1);
            boolean lived = CrashCuts.lives(CrashCuts.start(world, changes), () -> world.prepare(workload));
            world.forget(workload);

            AgentProcess next = world.startRegistered(world.launch());

            next.awaitTrue(
                    "every claim to be prepared or forgotten",
                    () -> entries(world).findAny().stream()
                            .allMatch(entry -> state(entry).equals("PrepareCompleted")));
            next.awaitTrue(
                    "as many specs as claims",
                    () -> world.host().cdiFiles().size() == entries(world).count());
            ClaimedPod other = world.schedule(2);
            world.awaitUnprepared(next, workload);
            world.awaitPrepared(next, other);
            assertPrepared(world, other);
            return lived;
        });
    }

    private static void assertPrepared(World world, ClaimedPod workload) throws IOException {
        assertThat(entries(world))
                .singleElement()
                .satisfies(entry -> assertThat(state(entry)).isEqualTo("PrepareCompleted"));
        assertThat(world.checkpoint()).contains(workload.claim().uid());
        assertThat(world.host().cdiFiles())
                .isEqualTo(world.host().cdiFiles(workload.claim().uid()))
                .hasSize(1);
        CrashCuts.assertNoTemporaries(world.host().pluginDirectory());
    }

    private static void assertNothingLeft(World world) throws IOException {
        assertThat(entries(world)).isEmpty();
        assertThat(world.host().cdiFiles()).isEmpty();
        CrashCuts.assertNoTemporaries(world.host().pluginDirectory());
    }

    private static Stream<JsonNode> entries(World world) throws IOException {
        JsonNode claims = JSON.readTree(world.checkpoint()).path("v2").path("preparedClaims");
        return claims.valueStream();
    }

    private static String state(JsonNode entry) {
        return entry.path("checkpointState").asText();
    }
}
