package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.process.HaltingAgent;
import io.imexagent.testing.kubelet.ClaimResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Ends agents after each effect that they run, without any clean-up. The cuts are those that happen: the process is ended
 * after its first effect, in a new world after its second, and so on, until it lives to give its answer.
 */
final class CrashCuts {

    private CrashCuts() {}

    /** A scenario in a new world, with an agent that ends after so many effects; says whether it lived. */
    @FunctionalInterface
    interface Scenario {
        boolean run(World world, int effects) throws Exception;
    }

    /** Runs the scenario with cuts after 1, 2, … effects until the process lives, and says how many cuts there were. */
    static int each(Scenario scenario) throws Exception {
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

    /** Starts an agent that ends after so many effects, by its launcher, which takes the other main class for an option. */
    static AgentProcess start(World world, int effects) throws IOException {
        String classes = HaltingAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return world.start(world.launch()
                .jvmOptions(
                        "-cp",
                        Checkout.find().image().resolve("lib/imex-agent.jar") + ":" + classes,
                        HaltingAgent.class.getName(),
                        String.valueOf(effects)));
    }

    /** Calls the agent until it is done, and ends it then; false where it ended before by its cut. */
    static boolean lives(AgentProcess agent, Supplier<ClaimResult> call) throws InterruptedException {
        boolean lived = agent.await(
                "the agent to be done or to end",
                () -> agent.exitCode().isPresent()
                        ? Optional.of(false)
                        : Optional.of(true).filter(it -> done(call)));
        if (lived) {
            agent.kill();
        } else {
            assertThat(agent.awaitExit()).isEqualTo(HaltingAgent.KILLED);
        }
        return lived;
    }

    private static boolean done(Supplier<ClaimResult> call) {
        try {
            return call.get() instanceof ClaimResult.ClaimDone;
        } catch (StatusRuntimeException | IllegalStateException notThere) {
            // Not registered yet, or ended meanwhile.
            return false;
        }
    }

    /** No file that was being written is left in the directory. */
    static void assertNoTemporaries(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(Path::getFileName).map(Path::toString)).noneMatch(name -> name.endsWith(".tmp"));
        }
    }
}
