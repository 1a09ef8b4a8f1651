package io.imexagent.imex.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.GateFindings;
import io.imexagent.imex.prepare.CliqueMissing;
import io.imexagent.imex.probe.InventoryReader;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.simulated.SimulatedNvml;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Over inventories as the probes make them, so that checks and findings stay together. */
class HostChecksTest {

    private static final Duration LONG = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private HostTree host;

    @BeforeEach
    void makeHost() {
        host = HostTree.gb200(folder);
    }

    @ParameterizedTest
    @CsvSource({
        "GB200, driver, OK, 'driver 580.95.05, NVML 13.580.95.05'",
        "GB200, gpus, OK, 4 × NVIDIA GB200",
        "GB300, gpus, OK, 4 × NVIDIA GB300",
        "VR200, gpus, OK, 4 × NVIDIA Graphics Device",
        "FABRIC_IN_PROGRESS, gpus, OK, 4 × NVIDIA GB200",
        "HGX_H200, gpus, WARNING, 'GPUs in no multi-node NVLink fabric: NVIDIA H200'",
        "GB200, clique, OK, c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766",
        "DRIVER_NOT_LOADED, driver, CRITICAL, there is no NVIDIA driver",
        "VERSION_MISMATCH, driver, CRITICAL, LIB_RM_VERSION_MISMATCH",
        "NO_GPU, gpus, CRITICAL, NVML sees no GPU",
        "GPU_LOST, gpus, CRITICAL, 'GPU 2: does not answer'",
        "GPU_OUTSIDE_FABRIC, gpus, CRITICAL, takes part in no NVLink fabric",
        "GPU_OUTSIDE_FABRIC, clique, OK, c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766",
        "GPU_WITHOUT_CLIQUE, gpus, CRITICAL, all-zero cluster UUID",
        "FABRIC_UNHEALTHY, gpus, CRITICAL, 'overall fabric health: unhealthy'",
        "NO_FABRIC, gpus, WARNING, NVIDIA B200",
        "NO_FABRIC, clique, CRITICAL, no NVLink clique",
        "ZERO_UUID, clique, CRITICAL, all zero",
        "FABRIC_IN_PROGRESS, clique, WARNING, still registering",
        "REGISTRATION_FAILED, clique, CRITICAL, registration ended with Unknown Error (999)",
        "TWO_CLIQUES, clique, CRITICAL, different cliques",
        "WITHOUT_FABRIC_CALLS, clique, CRITICAL, too old",
        "DRIVER_NOT_LOADED, clique, CRITICAL, there is no NVIDIA driver",
    })
    void tellsOfTheTray(TrayPreset preset, String id, Severity status, String message) throws Exception {
        CheckResult result = result(preset, id);

        assertThat(result.message()).contains(message);
        assertThat(result.severity()).isEqualTo(status);
        assertThat(result.remedy().isPresent()).isEqualTo(status != Severity.OK);
    }

    @ParameterizedTest
    @CsvSource({
        "LIB_RM_VERSION_MISMATCH, VERSION_MISMATCH, driver, reload the nvidia modules",
        "conflict, TWO_CLIQUES, clique, one partition",
        "old driver, WITHOUT_FABRIC_CALLS, clique, upgrade the NVIDIA driver",
    })
    void takesItsRemedyFromTheFinding(String ignored, TrayPreset preset, String id, String remedy) throws Exception {
        assertThat(result(preset, id).remedy().orElseThrow()).contains(remedy);
    }

    @Test
    void aSimulatedDriverIsNotWellWhateverItSays() throws Exception {
        CheckResult driver = new HostChecks(
                        inventory(new SimulatedNvml(TrayPreset.GB200.tray())), false, CliqueMissing.REFUSE)
                .run()
                .getFirst();

        assertThat(driver.severity()).isEqualTo(Severity.WARNING);
        assertThat(driver.message()).contains("simulated");
        assertThat(driver.remedy().orElseThrow()).contains("unset nvml.simulate");
    }

    @Test
    void failsWithoutAChannelMajor() throws Exception {
        host.with("proc/devices", "Character devices:\n  1 mem\n");

        CheckResult result = result(TrayPreset.GB200, "channel-major");

        assertThat(result.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(result.remedy().orElseThrow()).contains("NVreg_ImexChannelCount");
    }

    @Test
    void failsWhereTheMajorCannotBeRead() throws Exception {
        host.without("proc/devices");

        assertThat(result(TrayPreset.GB200, "channel-major").remedy().orElseThrow())
                .contains("ProcSubset");
    }

    @Test
    void failsWithChannelsSwitchedOff() throws Exception {
        host.with("proc/driver/nvidia/params", "ImexChannelCount: 0\n");

        assertThat(result(TrayPreset.GB200, "channel-count").severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void warnsOfADriverThatDoesNotSayHowManyChannelsItHas() throws Exception {
        host.without("proc/driver/nvidia/params");

        assertThat(result(TrayPreset.GB200, "channel-count").severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void aHostWithoutANodeOfChannel0IsWellSinceContainersNeedNone() throws Exception {
        CheckResult result = result(TrayPreset.GB200, "channel-node");

        assertThat(result.severity()).isEqualTo(Severity.OK);
        assertThat(result.message()).contains("containers get one of their own");
    }

    @Test
    void warnsOfAFileInPlaceOfTheNode() throws Exception {
        host.with("dev/nvidia-caps-imex-channels/channel0", "");

        assertThat(result(TrayPreset.GB200, "channel-node").message()).contains("not a character device");
    }

    @Test
    void warnsWithoutABootId() throws Exception {
        host.without("proc/sys/kernel/random/boot_id");

        assertThat(result(TrayPreset.GB200, "boot-id").severity()).isEqualTo(Severity.WARNING);
    }

    @Test
    void isContentWithANodeOfTheRightMajor() {
        assertThat(new HostChecks(Inventories.gb200(), false, CliqueMissing.REFUSE).run())
                .filteredOn(result -> result.id().equals("channel-node"))
                .containsExactly(CheckResult.ok("channel-node", "channel0 is 239:0"));
    }

    @Test
    void warnsOfAMissingNodeOfChannel0OnlyWhereWorkloadsShareIt() throws Exception {
        NodeInventory absent = inventory(TrayPreset.GB200);

        assertThat(channelNode(absent, true).severity()).isEqualTo(Severity.WARNING);
        assertThat(channelNode(absent, true).message()).startsWith("the host has no node of channel 0");
        assertThat(channelNode(absent, false).severity()).isEqualTo(Severity.OK);
        assertThat(channelNode(Inventories.with(absent, new ChannelMajor.UnregisteredMajor()), true)
                        .severity())
                .as("what is missing then is the driver's device")
                .isEqualTo(Severity.OK);
    }

    @Test
    void aMissingCliqueIsWellWhereNoGpuSupportsAFabricAndClaimsSucceed() throws Exception {
        assertThat(clique(TrayPreset.NO_FABRIC))
                .returns(Severity.OK, CheckResult::severity)
                .returns(
                        "the GPUs have no NVLink fabric; claims are prepared without a channel (imex.cliqueMissing)",
                        CheckResult::message);
        assertThat(clique(TrayPreset.ZERO_UUID).severity()).isEqualTo(Severity.CRITICAL);
    }

    private CheckResult clique(TrayPreset preset) throws Exception {
        return new HostChecks(inventory(preset), true, CliqueMissing.SUCCEED)
                .run().stream()
                        .filter(result -> result.id().equals("clique"))
                        .findFirst()
                        .orElseThrow();
    }

    private static CheckResult channelNode(NodeInventory inventory, boolean shared) {
        return new HostChecks(inventory, shared, CliqueMissing.REFUSE)
                .run().stream()
                        .filter(result -> result.id().equals("channel-node"))
                        .findFirst()
                        .orElseThrow();
    }

    private CheckResult result(TrayPreset preset, String id) throws Exception {
        List<CheckResult> results = new HostChecks(inventory(preset), false, CliqueMissing.REFUSE).run();
        return results.stream()
                .filter(result -> result.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private NodeInventory inventory(TrayPreset preset) throws Exception {
        return inventory(new StagedNvml(preset.tray()));
    }

    private NodeInventory inventory(Nvml nvml) throws Exception {
        try (var worker = new Worker("nvml", 4, WorkerObserver.NONE, System::nanoTime);
                var files = new Worker("host-files", 4, WorkerObserver.NONE, System::nanoTime)) {
            return new InventoryReader(
                            host.root(),
                            nvml,
                            worker,
                            files,
                            LONG,
                            Clock.systemUTC(),
                            new GateFindings(host.root(), ServiceSettings::service)::of)
                    .read();
        }
    }
}
