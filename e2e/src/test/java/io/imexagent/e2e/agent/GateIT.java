package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.host.FakeHost;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The gate as systemd runs it, over a host's files and the C fake of NVML. */
@ExtendWith(Worlds.class)
class GateIT {

    private static final String UNLISTED = "2b85";

    /** The test's world, with the real mapping over the C fake in the place of the simulation. */
    private static FakeNvmlLibrary library(World world) {
        FakeNvmlLibrary nvml = FakeNvmlLibrary.compile(world.directory().resolve("driver"));
        world.without("nvml.simulate").with("host.driverRoot", nvml.driverRoot().toString());
        return nvml;
    }

    @Test
    void opensOnATrayWithoutAnyLibrary(World world) throws Exception {
        world.without("nvml.simulate")
                .with("host.driverRoot", world.directory().resolve("no-driver").toString());

        assertThat(gate(world)).isZero();
    }

    @Test
    void everyNoHasItsCode(World world) throws Exception {
        FakeNvmlLibrary nvml = library(world);
        FakeHost host = world.host();
        assertThat(gate(world.with("imex.service.gate", "false"))).isEqualTo(10);
        assertThat(gate(world, "--unit")).isZero();
        world.without("imex.service.gate");

        assertThat(gate(world.with("imex.service.vendors", "Microsoft Corporation")))
                .isEqualTo(11);
        world.without("imex.service.vendors");

        host.withoutPciGpus();
        assertThat(gate(world)).isEqualTo(12);

        host.pciGpu(0, UNLISTED);
        nvml.write(TrayPreset.NO_FABRIC);
        assertThat(gate(world)).isEqualTo(13);

        world.with("host.driverRoot", world.directory().resolve("no-driver").toString());
        assertThat(gate(world)).isEqualTo(14);
    }

    @Test
    void endsInTimeThoughNvmlHangs(World world) throws Exception {
        FakeNvmlLibrary nvml = library(world);
        world.host().withoutPciGpus();
        world.host().pciGpu(0, UNLISTED);
        nvml.write(nvml.tray().withHanging(NvmlCall.INIT));

        long start = System.nanoTime();
        assertThat(gate(world, "--unit")).isEqualTo(255);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    /** The loader's lock is held then, without which a JVM cannot even end. */
    @Test
    void endsInTimeThoughTheLibraryHangsAsItIsLoaded(World world) throws Exception {
        FakeNvmlLibrary nvml =
                FakeNvmlLibrary.compileHangingOnLoad(world.directory().resolve("driver"));
        world.without("nvml.simulate").with("host.driverRoot", nvml.driverRoot().toString());
        world.host().withoutPciGpus();
        world.host().pciGpu(0, UNLISTED);

        long start = System.nanoTime();
        AgentProcess process = world.start(launch(world, "--unit"));
        assertThat(process.awaitExit()).isEqualTo(255);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(process.log()).last().asString().contains("no answer within 10 s");
    }

    @Test
    void aFaultOfWhatItGoesByIsNoVerdictAndAnotherOneIsNone(World world) throws Exception {
        assertThat(gate(world.with("http.prt", "1"), "--unit")).isZero();
        assertThat(gate(world.with("imex.service.vendor", "NVIDIA"), "--unit")).isEqualTo(255);
        assertThat(gate(world.with("imex.service.gate", "false"), "--unit")).isZero();
    }

    @Test
    void waitsForALateDriverAndTheAgentTellsOfOneThatIsTooLate(World world) throws Exception {
        FakeHost host = world.host();
        host.withoutDriver();
        AgentProcess waiting = world.start(launch(world, "--unit"));
        // Half of the patience is enough to know that it waits.
        Thread.sleep(4000);
        assertThat(waiting.isAlive()).isTrue();
        host.channelMajor(FakeHost.CHANNEL_MAJOR);
        assertThat(waiting.awaitExit()).isZero();

        host.withoutDriver();
        AgentProcess skipped = world.start(launch(world, "--unit"));
        assertThat(skipped.awaitExit()).isEqualTo(14);
        assertThat(skipped.log()).singleElement().asString().contains("no driver", "systemctl start nvidia-imex");

        AgentProcess agent = world.start(world.launch());
        agent.awaitTrue("the GPUs", () -> world.metric(agent, "imex_agent_gpus") > 0);
        host.channelMajor(FakeHost.CHANNEL_MAJOR);
        agent.awaitTrue(
                "the finding", () -> world.metric(agent, "imex_agent_findings{code=\"imex-skipped-at-boot\"") == 1);

        assertThat(gate(world, "--unit")).isZero();
        agent.awaitTrue(
                "the finding to end",
                () -> world.metric(agent, "imex_agent_findings{code=\"imex-skipped-at-boot\"") == 0);
    }

    private static int gate(World world, String... switches) throws Exception {
        return world.start(launch(world, switches)).awaitExit();
    }

    private static AgentLaunch launch(World world, String... switches) throws Exception {
        Path file = world.settings().write(world.directory().resolve("config.yaml"));
        return AgentLaunch.command("gate", "--config", file.toString()).arguments(switches);
    }
}
