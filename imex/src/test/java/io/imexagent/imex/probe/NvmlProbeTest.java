package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.SickGpus;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NvmlProbeTest {

    private static final String CLIQUE = "c4a1f0de-5b72-4e09-9d36-8f2b7a60e153.32766";

    private final NvmlException notFound =
            new NvmlException.LibraryNotFound(List.of(Path.of("/etc/ld.so.cache"), Path.of("/usr/lib64")));

    @TempDir
    private Path host;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "HANGING")
    void tellsOfEveryTrayItsCliqueAndWhatIsWrong(TrayPreset preset) {
        Told told = Optional.ofNullable(EXPECTED.get(preset)).orElseThrow();

        NvmlFacts facts = read(preset.tray());

        assertThat(facts.clique().getClass().getSimpleName()).isEqualTo(told.clique());
        assertThat(facts.driver().getClass().getSimpleName()).isEqualTo(told.driver());
        assertThat(facts.gpus()).hasSize(told.gpus());
        assertThat(facts.findings()).extracting(Finding::code).containsExactlyElementsOf(told.findings());
    }

    @Test
    void readsAHealthyTray() {
        NvmlFacts facts = read(TrayPreset.GB200.tray());

        assertThat(facts.driver()).isEqualTo(new DriverState.LoadedDriver("580.95.05", "13.580.95.05"));
        assertThat(facts.clique())
                .isInstanceOfSatisfying(
                        CliqueState.KnownClique.class,
                        present -> assertThat(present.id()).hasToString(CLIQUE));
        assertThat(facts.gpus())
                .extracting(
                        Gpu::index, Gpu::name, gpu -> gpu.pci().orElseThrow().toString())
                .startsWith(tuple(0, "NVIDIA GB200", "0008:06:00.0"));
    }

    @Test
    void keepsTheOtherGpusWhenOneIsLost() {
        NvmlFacts facts = read(TrayPreset.GPU_LOST.tray());

        assertThat(facts.gpus())
                .extracting(Gpu::name)
                .containsExactly("NVIDIA GB200", "NVIDIA GB200", "", "NVIDIA GB200");
        assertThat(facts.findings().getFirst().message()).startsWith("GPU 2: does not answer: ");
    }

    @Test
    void saysWhatTheFabricCallsUnhealthyTheWorstFirst() {
        NvmlFacts facts = read(TrayPreset.GB200.tray().withGpu(1, gpu -> SickGpus.withHealth(gpu, 0x5A9)));

        assertThat(facts.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(facts.findings())
                .singleElement()
                .returns("fabric-unhealthy", Finding::code)
                .returns(Severity.CRITICAL, Finding::severity)
                .returns(
                        "GPU 1 (0009:06:00.0, GPU-00002941-5b72-4e09-9d36-000000000001): reports of its fabric:"
                                + " incorrect configuration: too few nvlinks, degraded bandwidth",
                        Finding::message);
    }

    @Test
    void tellsEveryBitOfTheHealthMaskByItsName() {
        GpuHealth health = read(TrayPreset.GB200.tray().withGpu(1, gpu -> SickGpus.withHealth(gpu, 0x15A9)))
                .gpus()
                .get(1)
                .health();

        assertThat(health.fabric())
                .containsExactly(
                        new FabricBit("degraded_bandwidth", "yes", Weight.DEGRADED),
                        new FabricBit("route_recovery", "no", Weight.GOOD),
                        new FabricBit("route_unhealthy", "no", Weight.GOOD),
                        new FabricBit("access_timeout_recovery", "no", Weight.GOOD),
                        new FabricBit("incorrect_configuration", "too_few_nvlinks", Weight.BAD),
                        new FabricBit("partition_assigned", "yes", Weight.GOOD),
                        new FabricBit("fabric_manager_connected", "not_supported", Weight.GOOD));
        assertThat(health.weight()).isEqualTo(Weight.BAD);
    }

    @Test
    void aLostFabricManagerDegradesTheGpuAndLeavesItsClique() {
        NvmlFacts facts = read(TrayPreset.GB200.tray().withGpu(1, gpu -> SickGpus.withHealth(gpu, 0x81AA)));

        assertThat(facts.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(facts.gpus().get(1).health().weight()).isEqualTo(Weight.DEGRADED);
        assertThat(facts.findings())
                .singleElement()
                .returns("fabric-limited", Finding::code)
                .extracting(Finding::message)
                .asString()
                .endsWith("fabric manager connected: no");
    }

    @Test
    void keepsTypedCliquesAndGoesByTheOneOfVersion3() {
        NvmlFacts facts = read(TrayPreset.DRIVER_615.tray());

        assertThat(facts.findings()).isEmpty();
        assertThat(facts.clique()).isEqualTo(read(TrayPreset.GB200.tray()).clique());
        assertThat(facts.gpus())
                .allSatisfy(gpu -> assertThat(gpu.fabric())
                        .isInstanceOfSatisfying(
                                Gpu.GpuFabric.FabricRegistered.class,
                                registered -> assertThat(registered.typed())
                                        .contains(
                                                new Gpu.GpuFabric.TypedClique("multicast_pointer", 7),
                                                new Gpu.GpuFabric.TypedClique("type_9", 10))));
    }

    @Test
    void aTrayThatIsWellHasNoComplaint() {
        assertThat(read(TrayPreset.GB200.tray()).gpus()).allSatisfy(gpu -> {
            assertThat(gpu.health().complaints()).isEmpty();
            assertThat(gpu.health().recoveryAction()).contains("none");
            assertThat(gpu.health().summary()).contains("healthy");
        });
    }

    @Test
    void tellsWhatAGpuNeedsToRecover() {
        NvmlFacts facts = read(TrayPreset.GB200
                .tray()
                .withGpu(
                        2,
                        gpu -> SickGpus.withRecoveryAction(
                                gpu, Optional.of(Numbered.of(RecoveryAction.RECOVER_IMEX_DOMAIN)))));

        assertThat(facts.gpus().get(2).health().neededAction()).contains("recover_imex_domain");
        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-recovery-action", Finding::code)
                .returns(
                        "GPU 2 (0018:06:00.0, GPU-00002941-5b72-4e09-9d36-000000000002): asks to be recovered:"
                                + " recover imex domain",
                        Finding::message);
    }

    @Test
    void aRecoveryActionThatCannotBeReadIsAFindingThatNamesTheGpu() {
        NvmlFacts facts = read(TrayPreset.GB200
                .tray()
                .withGpu(0, gpu -> gpu.withFailures(Map.of(NvmlCall.FIELD_VALUES, NvmlReturn.UNKNOWN))));

        assertThat(facts.gpus().getFirst().health()).returns(Weight.UNKNOWN, GpuHealth::weight);
        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-recovery-unknown", Finding::code)
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.message())
                        .startsWith(facts.gpus().getFirst().title() + ": its recovery action cannot be read: ")
                        .contains("999"));
    }

    @ParameterizedTest
    @EnumSource(
            value = NvmlReturn.class,
            names = {"NOT_SUPPORTED", "FUNCTION_NOT_FOUND", "INVALID_ARGUMENT", "ARGUMENT_VERSION_MISMATCH"})
    void aDriverThatDoesNotKnowTheRecoveryActionIsNoFault(NvmlReturn result) {
        NvmlFacts facts = read(TrayPreset.GB200
                .tray()
                .withGpu(0, gpu -> gpu.withFailures(Map.of(NvmlCall.FIELD_VALUES, result))));

        assertThat(facts.gpus().getFirst().health()).returns(Weight.GOOD, GpuHealth::weight);
        assertThat(facts.findings()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = NvmlCall.class,
            names = {"DEVICE_HANDLE", "PCI_INFO", "FABRIC_INFO_V"})
    void aGpuThatMayNotBeOpenedNeedsAccessAndNoReset(NvmlCall call) {
        NvmlFacts facts = read(TrayPreset.GB200
                .tray()
                .withGpu(1, gpu -> gpu.withFailures(Map.of(call, NvmlReturn.NO_PERMISSION))));

        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-unreadable", Finding::code)
                .satisfies(finding -> {
                    assertThat(finding.message()).startsWith("GPU 1").contains("cannot be opened");
                    assertThat(finding.remedy()).contains("/dev/nvidia*").doesNotContain("reset");
                });
    }

    @Test
    void saysWithWhatARegistrationFailed() {
        assertThat(read(TrayPreset.REGISTRATION_FAILED.tray()).clique())
                .isInstanceOfSatisfying(
                        CliqueState.FailedClique.class,
                        failed -> assertThat(failed.detail())
                                .startsWith("GPU 0 (0008:06:00.0, ")
                                .endsWith("): registration ended with Unknown Error (999), incorrect configuration:"
                                        + " chassis serial, overall fabric health: unhealthy"));
    }

    @Test
    void doesNotGuessAtAFabricStateThatItDoesNotKnow() {
        SimulatedTray tray = TrayPreset.GB200
                .tray()
                .withEveryGpu(gpu -> gpu.withFabric(SimulatedFabric.outside(Numbered.of(9, FabricState.values()))));

        NvmlFacts facts = read(tray);

        assertThat(facts.clique()).isInstanceOf(CliqueState.UnknownClique.class);
        assertThat(facts.findings()).singleElement().returns("fabric-state-unknown", Finding::code);
    }

    @Test
    void saysToReloadTheModulesOnlyWhereTheirVersionsDiffer() {
        assertThat(remedy(NvmlReturn.LIB_RM_VERSION_MISMATCH)).contains("reload the nvidia modules");
        assertThat(remedy(NvmlReturn.OPERATING_SYSTEM)).contains("kernel log");
    }

    @Test
    void countsAMissingLibraryAsAnAbsentDriver() {
        NvmlFacts facts = readFailing(notFound);

        assertThat(facts.driver())
                .isInstanceOfSatisfying(
                        DriverState.AbsentDriver.class,
                        absent -> assertThat(absent.reason()).contains("/etc/ld.so.cache, /usr/lib64"));
        // The long reason is said once.
        assertThat(facts.clique().why()).hasValue("there is no NVIDIA driver");
        assertThat(facts.findings())
                .singleElement()
                .returns("driver-absent", Finding::code)
                .returns("there is no NVIDIA driver", Finding::message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"proc/driver/nvidia/version", "sys/module/nvidia/refcnt"})
    void aLoadedModuleWithoutALibraryIsNoAbsentDriver(String file) throws IOException {
        moduleLoaded(file);

        NvmlFacts facts = readFailing(notFound);

        assertThat(facts.driver()).isInstanceOf(DriverState.FailingDriver.class);
        assertThat(facts.clique().why())
                .hasValue("the NVIDIA kernel module is loaded, and the driver's library is not found");
        Finding finding = facts.findings().getFirst();
        assertThat(finding.code()).isEqualTo("driver-library-not-found");
        assertThat(finding.message()).contains("kernel module is loaded", "searched /etc/ld.so.cache, /usr/lib64");
        assertThat(finding.remedy()).contains("host.driverRoot");
    }

    @ParameterizedTest
    @EnumSource(names = {"DRIVER_NOT_LOADED", "LIBRARY_NOT_FOUND"})
    void aLoadedModuleThatNvmlDoesNotSeeIsNoAbsentDriver(NvmlReturn result) throws IOException {
        moduleLoaded("proc/driver/nvidia/version");

        NvmlFacts facts =
                readFailing(new NvmlException.CallFailed(NvmlCall.INIT, Numbered.of(result), Optional.empty()));

        assertThat(facts.driver()).isInstanceOf(DriverState.FailingDriver.class);
        Finding finding = facts.findings().getFirst();
        assertThat(finding.code()).isEqualTo("driver-failing");
        assertThat(finding.message()).contains("though its kernel module is loaded", result.name());
        assertThat(finding.remedy()).contains("/dev/nvidiactl");
    }

    @Test
    void aLibraryThatCannotBeLoadedIsSaidInTheLinkersWords() {
        NvmlFacts facts = readFailing(
                new NvmlException.LibraryNotLoadable(List.of("/usr/lib64/libnvidia-ml.so.1: wrong ELF class")));

        assertThat(facts.driver()).isInstanceOf(DriverState.FailingDriver.class);
        Finding finding = facts.findings().getFirst();
        assertThat(finding.code()).isEqualTo("driver-library-not-loadable");
        assertThat(finding.message()).contains("/usr/lib64/libnvidia-ml.so.1: wrong ELF class");
        assertThat(finding.remedy()).contains("architecture", "host.driverRoot", "ExecPaths=");
    }

    private void moduleLoaded(String file) throws IOException {
        Files.createDirectories(host.resolve(file).getParent());
        Files.writeString(host.resolve(file), "1\n");
    }

    private NvmlFacts readFailing(NvmlException failure) {
        return new NvmlProbe(
                        () -> {
                            throw failure;
                        },
                        host)
                .read();
    }

    private static String remedy(NvmlReturn ofInit) {
        return read(TrayPreset.GB200.tray().withFailure(NvmlCall.INIT, ofInit))
                .findings()
                .getFirst()
                .remedy();
    }

    private static NvmlFacts read(SimulatedTray tray) {
        return new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read();
    }

    private record Told(String driver, int gpus, String clique, List<String> findings) {}

    private static final Map<TrayPreset, Told> EXPECTED = new EnumMap<>(Map.ofEntries(
            Map.entry(TrayPreset.GB200, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.GB300, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.VR200, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.HGX_H200, new Told("LoadedDriver", 8, "NoClique", List.of("clique-none"))),
            Map.entry(TrayPreset.HGX_B200, new Told("LoadedDriver", 8, "NoClique", List.of("clique-none"))),
            Map.entry(TrayPreset.DRIVER_615, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.FABRIC_V2_ONLY, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.FABRIC_V1_ONLY, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.WITHOUT_FABRIC_V, new Told("LoadedDriver", 4, "KnownClique", List.of())),
            Map.entry(TrayPreset.NO_GPU, new Told("LoadedDriver", 0, "NoClique", List.of("clique-none"))),
            Map.entry(TrayPreset.NO_FABRIC, new Told("LoadedDriver", 4, "NoClique", List.of("clique-none"))),
            Map.entry(
                    TrayPreset.FABRIC_CALL_NOT_SUPPORTED,
                    new Told("LoadedDriver", 4, "NoClique", List.of("clique-none"))),
            Map.entry(TrayPreset.ZERO_UUID, new Told("LoadedDriver", 4, "NoClique", List.of("clique-none"))),
            Map.entry(
                    TrayPreset.FABRIC_NOT_STARTED,
                    new Told("LoadedDriver", 4, "RegisteringClique", List.of("fabric-registering"))),
            Map.entry(
                    TrayPreset.FABRIC_IN_PROGRESS,
                    new Told("LoadedDriver", 4, "RegisteringClique", List.of("fabric-registering"))),
            Map.entry(
                    TrayPreset.REGISTRATION_FAILED,
                    new Told("LoadedDriver", 4, "FailedClique", List.of("fabric-failed"))),
            Map.entry(
                    TrayPreset.INSUFFICIENT_RESOURCES,
                    new Told("LoadedDriver", 4, "FailedClique", List.of("fabric-failed"))),
            Map.entry(
                    TrayPreset.GPU_OUTSIDE_FABRIC,
                    new Told("LoadedDriver", 4, "KnownClique", List.of("gpu-outside-fabric"))),
            Map.entry(
                    TrayPreset.GPU_WITHOUT_CLIQUE,
                    new Told("LoadedDriver", 4, "KnownClique", List.of("gpu-without-clique"))),
            Map.entry(
                    TrayPreset.FABRIC_UNHEALTHY,
                    new Told("LoadedDriver", 4, "KnownClique", List.of("fabric-unhealthy"))),
            Map.entry(
                    TrayPreset.TWO_CLIQUES,
                    new Told("LoadedDriver", 4, "ConflictingClique", List.of("clique-conflict"))),
            Map.entry(
                    TrayPreset.VERSION_MISMATCH,
                    new Told("FailingDriver", 0, "UnknownClique", List.of("driver-failing"))),
            Map.entry(
                    TrayPreset.DRIVER_NOT_LOADED,
                    new Told("AbsentDriver", 0, "UnknownClique", List.of("driver-absent"))),
            Map.entry(TrayPreset.GPU_LOST, new Told("LoadedDriver", 4, "KnownClique", List.of("gpu-lost"))),
            Map.entry(
                    TrayPreset.WITHOUT_FABRIC_CALLS,
                    new Told("LoadedDriver", 4, "UnknownClique", List.of("clique-unknown")))));
}
