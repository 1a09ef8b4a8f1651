package io.imexagent.testkit.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.agent.prepare.HaltAfterEffect;
import io.imexagent.testkit.agent.Workload;
import io.imexagent.testkit.agent.World;
import io.imexagent.testkit.api.Login;
import io.imexagent.testkit.kubelet.ClaimResult;
import io.imexagent.testkit.kubelet.PluginCallException;
import io.imexagent.testkit.process.AgentProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The agent ends after each effect that it runs, without any clean-up. The cuts are those that happen: the process is
 * ended after its first effect, in a new world after its second, and so on, until it lives to give its answer.
 */
class CrashCutsE2e {
    private static final int KILLED = 137;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void aPrepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = forEachCut((world, effects) -> {
            Workload workload = world.schedule(1);
            boolean lived = lives(cutAfter(world, effects), () -> world.prepare(workload));
            if (lived) {
                assertPrepared(world, workload);
            }

            AgentProcess next = world.startRegistered(world.launch());
            ClaimResult.Done answer = world.awaitPrepared(next, workload);
            assertThat(answer.devices().getFirst().cdiDeviceIds()).containsExactly(workload.cdiDevice());
            assertPrepared(world, workload);

            world.awaitUnprepared(next, workload);
            assertNothingLeft(world);
            return lived;
        });

        assertThat(cuts).as("effects of a prepare").isGreaterThanOrEqualTo(3);
    }

    @Test
    void anUnprepareThatWasCutIsDoneByTheNextAgent() throws Exception {
        int cuts = forEachCut((world, effects) -> {
            Workload workload = world.schedule(1);
            AgentProcess first = world.startRegistered(world.launch());
            world.awaitPrepared(first, workload);
            first.kill();
            // What the start itself does to bring files and checkpoint together is cut as well.
            boolean lived = lives(cutAfter(world, effects), () -> world.unprepare(workload));
            if (lived) {
                assertNothingLeft(world);
            }

            AgentProcess next = world.startRegistered(world.launch());
            world.awaitUnprepared(next, workload);
            assertNothingLeft(world);
            return lived;
        });

        assertThat(cuts).as("effects of an unprepare").isGreaterThanOrEqualTo(2);
    }

    @Test
    void aPrepareThatWasCutForAPodThatIsGoneStaysNotHalfDone() throws Exception {
        forEachCut((world, effects) -> {
            // An administrator is told that a claim is gone; a node would be told that it may not know.
            Path kubeconfig = world.api().writeKubeconfig(world.directory().resolve("admin"), new Login.Token("admin"));
            world.with("kubernetes.kubeconfig", kubeconfig.toString());
            Workload workload = world.schedule(1);
            boolean lived = lives(cutAfter(world, effects), () -> world.prepare(workload));
            world.forget(workload);

            AgentProcess next = world.startRegistered(world.launch());

            next.awaitTrue(
                    "every claim to be prepared or forgotten",
                    () -> entries(world).findAny().stream()
                            .allMatch(entry -> state(entry).equals("PrepareCompleted")));
            next.awaitTrue(
                    "as many specs as claims",
                    () -> world.host().cdiFiles().size() == entries(world).count());
            Workload other = world.schedule(2);
            world.awaitUnprepared(next, workload);
            world.awaitPrepared(next, other);
            assertPrepared(world, other);
            return lived;
        });
    }

    /** Runs the scenario with cuts after 1, 2, … effects until the process lives, and says how many cuts there were. */
    private static int forEachCut(Scenario scenario) throws Exception {
        int cuts = 0;
        boolean lived = false;
        while (!lived) {
            try (World world = World.open()) {
                try {
                    lived = scenario.run(world, cuts + 1);
                } catch (AssertionError | RuntimeException failure) {
                    throw new AssertionError(
                            "cut after effect " + (cuts + 1) + ": " + failure.getMessage() + "\n" + world.log(),
                            failure);
                }
            }
            if (!lived) {
                cuts++;
            }
        }
        System.out.println("cut after each of " + cuts + " effects:");
        return cuts;
    }

    private static AgentProcess cutAfter(World world, int effects) throws IOException {
        return world.start(world.launch().environment(HaltAfterEffect.VARIABLE, String.valueOf(effects)));
    }

    /** Calls the agent until it is done, and ends it then; false where it ended before by its cut. */
    private static boolean lives(AgentProcess agent, Supplier<ClaimResult> call) throws InterruptedException {
        boolean lived = agent.await(
                "the agent to be done or to end",
                () -> agent.exitCode().isPresent()
                        ? Optional.of(false)
                        : Optional.of(true).filter(it -> done(call)));
        if (lived) {
            agent.kill();
        } else {
            assertThat(agent.awaitExit()).isEqualTo(KILLED);
        }
        return lived;
    }

    private static boolean done(Supplier<ClaimResult> call) {
        try {
            return call.get() instanceof ClaimResult.Done;
        } catch (PluginCallException | IllegalStateException notThere) {
            // Not registered yet, or ended meanwhile.
            return false;
        }
    }

    private static void assertPrepared(World world, Workload workload) throws IOException {
        assertThat(entries(world))
                .singleElement()
                .satisfies(entry -> assertThat(state(entry)).isEqualTo("PrepareCompleted"));
        assertThat(world.checkpoint()).contains(workload.claim().uid());
        assertThat(world.host().cdiFiles())
                .isEqualTo(world.host().cdiFiles(workload.claim().uid()))
                .hasSize(1);
        assertNoTemporaries(world);
    }

    private static void assertNothingLeft(World world) throws IOException {
        assertThat(entries(world)).isEmpty();
        assertThat(world.host().cdiFiles()).isEmpty();
        assertNoTemporaries(world);
    }

    private static void assertNoTemporaries(World world) throws IOException {
        try (Stream<Path> files = Files.list(world.host().pluginDirectory())) {
            assertThat(files.map(Path::getFileName).map(Path::toString)).noneMatch(name -> name.endsWith(".tmp"));
        }
    }

    private static Stream<JsonNode> entries(World world) throws IOException {
        JsonNode claims = JSON.readTree(world.checkpoint()).path("v2").path("preparedClaims");
        return claims.valueStream();
    }

    private static String state(JsonNode entry) {
        return entry.path("checkpointState").asText();
    }

    /** A scenario in a new world, with an agent that ends after so many effects; says whether it lived. */
    @FunctionalInterface
    private interface Scenario {
        boolean run(World world, int effects) throws Exception;
    }
}
