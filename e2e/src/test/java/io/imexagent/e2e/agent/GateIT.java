package io.imexagent.e2e.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.testing.host.FakeHost;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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

    /** Both devices of Vera Rubin: nothing asks for the name, which is that of any GPU that a driver does not know. */
    @ParameterizedTest
    @ValueSource(strings = {"3041", "307f"})
    void opensOnATrayOfVeraRubin(String device, World world) throws Exception {
        FakeNvmlLibrary nvml = library(world);
        onBus(world, device);
        nvml.write(nvml.tray().withHanging(NvmlCall.INIT));

        assertThat(gate(world)).isZero();
    }

    @Test
    void aFabricThatSpansHostsOpensForAGpuThatNoListKnows(World world) throws Exception {
        FakeNvmlLibrary nvml = library(world);
        onBus(world, UNLISTED);
        nvml.write(TrayPreset.VR200);
        assertThat(gate(world)).isZero();
        assertThat(gate(world.with("imex.service.allowFabric", "false"))).isEqualTo(13);
        world.without("imex.service.allowFabric");

        nvml.write(TrayPreset.HGX_H200);
        assertThat(gate(world)).isEqualTo(13);
    }

    @Test
    void waitsForTheFabricAndLeavesItToTheLateDriverUnit(World world) throws Exception {
        FakeNvmlLibrary nvml = library(world);
        onBus(world, UNLISTED);
        nvml.write(registering(TrayPreset.VR200));
        AgentProcess waiting = world.start(launch(world, "--unit"));
        // Half of the patience is enough to know that it waits.
        Thread.sleep(4000);
        assertThat(waiting.isAlive()).isTrue();
        nvml.write(TrayPreset.VR200);
        assertThat(waiting.awaitExit()).isZero();

        nvml.write(registering(TrayPreset.VR200));
        long start = System.nanoTime();
        AgentProcess skipped = world.start(launch(world, "--unit"));
        assertThat(skipped.awaitExit()).isEqualTo(15);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(skipped.log()).singleElement().asString().contains("fabric not ready: GPU 0", "in_progress");
        assertThat(world.host().root().resolve("run/imex-agent/driver-late")).exists();
    }

    /** H200 and B200 behind NVSwitches, H100 alone: the table of devices decides, and nothing is asked or waited for. */
    @ParameterizedTest
    @CsvSource({"2335, HGX_H200", "2901, HGX_B200", "2331, FABRIC_CALL_NOT_SUPPORTED"})
    void aGpuWithoutImexIsSkippedQuietlyWhateverItsDriverDoes(String device, TrayPreset preset, World world)
            throws Exception {
        FakeNvmlLibrary nvml = library(world);
        onBus(world, device);
        for (SimulatedTray tray : List.of(
                preset.tray(),
                registering(preset),
                preset.tray().withHanging(NvmlCall.INIT),
                preset.tray().withFailure(NvmlCall.INIT, NvmlReturn.LIB_RM_VERSION_MISMATCH))) {
            nvml.write(tray);
            assertThat(gate(world, "--unit")).isEqualTo(13);
        }
        assertThat(world.host().root().resolve("run/imex-agent/driver-late")).doesNotExist();
    }

    private static SimulatedTray registering(TrayPreset preset) {
        return preset.tray()
                .withEveryGpu(gpu -> gpu.withFabric(SimulatedFabric.outside(Numbered.of(FabricState.IN_PROGRESS))));
    }

    private static void onBus(World world, String device) throws Exception {
        world.host().withoutPciGpus();
        world.host().pciGpu(0, device);
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
