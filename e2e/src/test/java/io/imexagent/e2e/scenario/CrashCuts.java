package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.StatusRuntimeException;
import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.testing.kubelet.ClaimResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Ends agents after each change that they make in the world's folder: a file that gets its name, or loses it. A library
 * that is loaded before all others ends the process at once ({@code cut.c}), so that any executable can be cut. The cuts are
 * those that happen: the process is ended after its first change, in a new world after its second, and so on, until it
 * lives to give its answer.
 */
final class CrashCuts {

    /** What a process reports that was killed. */
    private static final int KILLED = 137;

    private CrashCuts() {}

    /** A scenario in a new world, with an agent that ends after so many changes; says whether it lived. */
    @FunctionalInterface
    interface Scenario {
        boolean run(World world, int changes) throws Exception;
    }

    /** Runs the scenario with cuts after 1, 2, … changes until the process lives, and says how many cuts there were. */
    static int each(Scenario scenario) throws Exception {
        int cuts = 0;
        boolean lived = false;
        while (!lived) {
            try (World world = World.open()) {
                try {
                    lived = scenario.run(world, cuts + 1);
                } catch (AssertionError | RuntimeException failure) {
                    throw new AssertionError(
                            "cut after change " + (cuts + 1) + ": " + failure.getMessage() + "\n" + world.log(),
                            failure);
                }
            }
            if (!lived) {
                cuts++;
            }
        }
        System.out.println("cut after each of " + cuts + " changes:");
        return cuts;
    }

    /** Starts an agent that ends after so many changes. */
    static AgentProcess start(World world, int changes) throws IOException, InterruptedException {
        return world.start(world.launch()
                .environment("LD_PRELOAD", library(world.directory()).toString())
                .environment("CUT_BELOW", world.directory().toString())
                .environment("CUT_AFTER", String.valueOf(changes)));
    }

    /** Compiles the library that ends the process. */
    private static Path library(Path folder) throws IOException, InterruptedException {
        Path source = folder.resolve("cut.c");
        Path library = folder.resolve("cut.so");
        try (InputStream resource = Objects.requireNonNull(CrashCuts.class.getResourceAsStream("cut.c"))) {
            Files.write(source, resource.readAllBytes());
        }
        Process compiler = new ProcessBuilder(
                        System.getProperty("imexagent.cc", "gcc"),
                        "-Wall",
                        "-Wextra",
                        "-Werror",
                        "-shared",
                        "-fPIC",
                        "-o",
                        library.toString(),
                        source.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor()).as(output).isZero();
        return library;
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
            assertThat(agent.awaitExit()).isEqualTo(KILLED);
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
