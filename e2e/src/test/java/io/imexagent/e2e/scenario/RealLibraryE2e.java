package io.imexagent.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.agent.World;
import io.imexagent.e2e.agent.Worlds;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The agent over NVIDIA's own libnvidia-ml, without a driver behind it: how it is found and loaded, what it says then, and
 * what it leaves open. {@code e2e/bin/real-nvml} downloads it; where it cannot, a scenario says so and ends.
 */
@ExtendWith(Worlds.class)
class RealLibraryE2e {

    private static final int NOT_TO_BE_HAD = 3;
    private static final String UNLISTED = "2b85";

    @Test
    void probeAndGateTellALibraryWithoutADriverFromADriverThatDoesNotAnswer(World world) throws Exception {
        if (!library(world)) {
            return;
        }
        FakeHost host = world.host();
        host.withoutPciGpus();
        host.pciGpu(0, UNLISTED);

        assertThat(world.run(1, "probe"))
                .contains("nvmlInitWithFlags failed: DRIVER_NOT_LOADED (9), Driver Not Loaded", "driver-absent");
        assertThat(world.run(14, "gate")).contains("no driver: 10de:" + UNLISTED, "DRIVER_NOT_LOADED");

        Path module = Files.createDirectories(host.root().resolve("sys/module/nvidia"));
        assertThat(world.run(1, "probe"))
                .contains("driver-failing", "though its kernel module is loaded")
                .doesNotContain("there is no NVIDIA driver");
        assertThat(world.run(255, "gate")).contains("NVML does not say what", "/dev/nvidiactl");
        assertThat(module).exists();
    }

    @Test
    void anAgentThatObservesLeavesNothingOpen(World world) throws Exception {
        if (!library(world)) {
            return;
        }
        AgentProcess agent = world.with("featureGates.HostManagedIMEX", "false")
                .with("inventory.interval", "1s")
                .start(world.launch());
        agent.awaitTrue("the finding", () -> world.metric(agent, "imex_agent_findings{code=\"driver-absent\"") == 1);
        int before = eventDescriptors(agent);

        for (int reading = 0; reading < 10; reading++) {
            agent.hangUp();
            Thread.sleep(300);
        }

        assertThat(Files.readString(Path.of("/proc/" + agent.pid() + "/maps")))
                .as("the library stays loaded")
                .contains("/driver/usr/lib/", "libnvidia-ml.so.");
        assertThat(eventDescriptors(agent)).isEqualTo(before);
        assertThat(agent.terminate()).isZero();
    }

    /** Gives the world a driver's root with the library; false, with a word, where that cannot be had. */
    private static boolean library(World world) throws IOException, InterruptedException {
        Path root = Files.createDirectories(world.directory().resolve("driver"));
        Process download = new ProcessBuilder(
                        Checkout.find().root().resolve("e2e/bin/real-nvml").toString(), root.toString())
                .redirectErrorStream(true)
                .start();
        String words = new String(download.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = download.waitFor();
        if (code == NOT_TO_BE_HAD) {
            System.out.println("left out: " + words.strip());
            return false;
        }
        assertThat(code).as(words).isZero();
        world.without("nvml.simulate").with("host.driverRoot", root.toString());
        return true;
    }

    private static int eventDescriptors(AgentProcess agent) throws IOException {
        int count = 0;
        try (Stream<Path> links = Files.list(Path.of("/proc/" + agent.pid() + "/fd"))) {
            for (Path link : links.toList()) {
                try {
                    count += Files.readSymbolicLink(link).toString().endsWith("[eventfd]") ? 1 : 0;
                } catch (NoSuchFileException closed) {
                    // Closed since it was listed.
                }
            }
        }
        return count;
    }
}
