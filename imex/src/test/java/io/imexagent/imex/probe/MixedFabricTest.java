package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.Gpu.GpuFabric.FabricUnknown.UnknownCause;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.check.HostChecks;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.prepare.CliqueMissing;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import io.imexagent.imex.watch.ChannelStatus;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** GPUs of one node that do not agree, from the field and alike: clique, findings and device health. */
class MixedFabricTest {

    private static final String CLUSTER = "7a1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f";
    private static final String NO_CLUSTER = "00000000000000000000000000000000";
    private static final String CLIQUE = "7a1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f.1";

    private static final String WELL = "3,0,1,1aa,1," + CLUSTER;
    private static final String OUTSIDE = "0,0,0,0,0," + NO_CLUSTER;
    private static final String ZERO = "3,0,0,1aa,1," + NO_CLUSTER;

    @ParameterizedTest
    @CsvSource({
        "0, KnownClique, UNHEALTHY, gpu-outside-fabric, 2",
        "1, KnownClique, UNHEALTHY, gpu-without-clique, 2",
        "2, FailedClique, UNHEALTHY, fabric-failed, 0 1 2 3",
        "3, KnownClique, UNHEALTHY, fabric-unhealthy, 0"
    })
    void everyLineOfTheFieldHasItsFinding(
            int line, String clique, ChannelStatus.ChannelCondition health, String code, String named) {
        NvmlFacts facts = read(FabricLine.of("mixed-fabric.txt").get(line));

        assertThat(facts.clique().getClass().getSimpleName()).isEqualTo(clique);
        assertThat(facts.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo(code);
            assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(finding.message()).startsWith(titles(facts, named) + ": ");
        });
        assertThat(health(facts)).returns(health, ChannelStatus::status);
        assertThat(health(facts).message())
                .isEqualTo(facts.findings().getFirst().message());
    }

    @Test
    void theFieldHasNoOtherLines() {
        assertThat(FabricLine.of("mixed-fabric.txt")).hasSize(4);
    }

    @Test
    void namesIndexAddressAndUuid() {
        assertThat(read(FabricLine.of("mixed-fabric.txt").getFirst())
                        .findings()
                        .getFirst()
                        .message())
                .isEqualTo(
                        "GPU 2 (0018:06:00.0, GPU-00002941-5b72-4e09-9d36-000000000002): takes part in no NVLink fabric"
                                + " (state: not supported), unlike other GPUs of this node");
    }

    /** Each a tray: the first GPU as the line says, the others as the last one. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "3,0,1,1aa,3,CLUSTER | KnownClique | DEGRADED | fabric-limited | overall fabric health: limited capacity",
                "3,0,1,1a9,1,CLUSTER | KnownClique | DEGRADED | fabric-limited | degraded bandwidth",
                "3,0,1,1ab,1,CLUSTER | KnownClique | UNKNOWN | fabric-health-unknown | degraded bandwidth: 3, which has no meaning",
                "3,0,1,19a,1,CLUSTER | KnownClique | UNHEALTHY | fabric-unhealthy | route unhealthy",
                "3,0,1,caa,1,CLUSTER | KnownClique | UNHEALTHY | fabric-unhealthy | incorrect configuration: fault 12",
                "3,0,1,1aa,9,CLUSTER | KnownClique | UNKNOWN | fabric-health-unknown | overall fabric health: summary 9",
                "3,0,1,19a,2,CLUSTER | KnownClique | UNHEALTHY | fabric-unhealthy | route unhealthy, overall fabric health: unhealthy",
                "7,0,0,0,0,ZERO | KnownClique | UNKNOWN | fabric-state-unknown | fabric state 7 is not known",
                "3,27,0,0,0,ZERO | FailedClique | UNHEALTHY | fabric-failed | registration ended with Not Ready (27)",
                "3,15,0,0,0,ZERO | FailedClique | UNHEALTHY | fabric-failed | registration ended with GPU is lost (15)",
                "3,77,0,0,0,ZERO | FailedClique | UNHEALTHY | fabric-failed | registration ended with nvmlReturn_t 77",
                "3,23,1,1aa,2,CLUSTER | FailedClique | UNHEALTHY | fabric-failed | Insufficient Resources (23), overall fabric health: unhealthy",
                "1,0,0,0,0,ZERO | RegisteringClique | UNKNOWN | fabric-registering | not_started",
                "2,0,0,0,0,ZERO | RegisteringClique | UNKNOWN | fabric-registering | in_progress",
                "3,0,2,1aa,1,CLUSTER | ConflictingClique | UNHEALTHY | clique-conflict | 7a1f1f1f-1f1f-1f1f-1f1f-1f1f1f1f1f1f.2 at GPU 0 (",
            })
    void oneGpuOfSeveralIsNeverLostToTheOthers(
            String gpu, String clique, ChannelStatus.ChannelCondition health, String code, String what) {
        String first = gpu.strip().replace("CLUSTER", CLUSTER).replace("ZERO", NO_CLUSTER);
        NvmlFacts facts = read(String.join(";", first, WELL, WELL, WELL));

        assertThat(facts.clique().getClass().getSimpleName()).isEqualTo(clique);
        assertThat(facts.findings()).singleElement().satisfies(finding -> {
            assertThat(finding.code()).isEqualTo(code);
            assertThat(finding.message()).contains(titles(facts, "0")).contains(what);
        });
        assertThat(health(facts)).returns(health, ChannelStatus::status);
        assertThat(health(facts).message()).contains(titles(facts, "0"));
    }

    @Test
    void aNodeKeepsTheCliqueOfItsHealthyGpus() {
        NvmlFacts facts = read(String.join(";", OUTSIDE, ZERO, WELL, WELL));

        assertThat(facts.clique().text()).isEqualTo(CLIQUE);
        assertThat(CliqueState.outside(facts.gpus())).extracting(Gpu::index).containsExactly(0, 1);
        assertThat(codes(facts)).containsExactly("gpu-outside-fabric", "gpu-without-clique");
    }

    @Test
    void whereNoGpuHasACliqueNoneIsOutside() {
        NvmlFacts facts = read(String.join(";", OUTSIDE, ZERO, ZERO, OUTSIDE));

        assertThat(facts.clique())
                .isEqualTo(new CliqueState.NoClique(
                        "the cluster UUID is all zero at " + titles(facts, "1 2") + ", and the others have no fabric"));
        assertThat(codes(facts)).containsExactly("clique-none");
        assertThat(health(facts)).isEqualTo(ChannelStatus.WELL);
    }

    @Test
    void aFailedRegistrationHidesNoGpuWithoutAFabric() {
        NvmlFacts facts = read(String.join(";", OUTSIDE, "3,23,0,0,0," + NO_CLUSTER, WELL, WELL));

        assertThat(facts.clique()).isInstanceOf(CliqueState.FailedClique.class);
        assertThat(codes(facts)).containsExactly("fabric-failed", "gpu-outside-fabric");
    }

    @Test
    void differentCliquesHideNoGpuWithoutAFabric() {
        NvmlFacts facts = read(String.join(";", OUTSIDE, WELL, "3,0,2,1aa,1," + CLUSTER, WELL));

        assertThat(facts.clique()).isInstanceOf(CliqueState.ConflictingClique.class);
        assertThat(codes(facts)).containsExactly("gpu-outside-fabric", "clique-conflict");
    }

    @Test
    void healthIsToldWhileAGpuRegisters() {
        NvmlFacts facts = read(String.join(";", "2,0,0,1aa,2," + NO_CLUSTER, WELL, WELL, WELL));

        assertThat(codes(facts)).containsExactly("fabric-unhealthy", "fabric-registering");
        assertThat(health(facts)).returns(ChannelStatus.ChannelCondition.UNHEALTHY, ChannelStatus::status);
    }

    @Test
    void aStateThatNoGpuCanExplainLeavesTheCliqueUnknown() {
        String unnamed = "200,0,0,0,0," + NO_CLUSTER;
        NvmlFacts facts = read(String.join(";", unnamed, unnamed, unnamed, unnamed));

        assertThat(facts.clique()).isInstanceOf(CliqueState.UnknownClique.class);
        assertThat(facts.findings())
                .singleElement()
                .returns("fabric-state-unknown", Finding::code)
                .satisfies(finding -> assertThat(finding.message())
                        .isEqualTo(titles(facts, "0 1 2 3") + ": fabric state 200 is not known; upgrade imex-agent"));
        assertThat(health(facts)).returns(ChannelStatus.ChannelCondition.UNKNOWN, ChannelStatus::status);
    }

    @Test
    void anotherProductMayHaveNoFabric() {
        SimulatedTray tray =
                FabricLine.tray(String.join(";", OUTSIDE, WELL, WELL, WELL)).withGpu(0, MixedFabricTest::graphicsCard);

        NvmlFacts facts = new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read();

        assertThat(facts.findings()).isEmpty();
        assertThat(health(facts)).isEqualTo(ChannelStatus.WELL);
    }

    @Test
    void namesAGpuByWhatWasReadBeforeItFailed() {
        NvmlFacts facts = new NvmlProbe(
                        new StagedNvml(TrayPreset.GB200
                                .tray()
                                .withGpu(
                                        1,
                                        gpu -> gpu.withFailures(Map.of(NvmlCall.FABRIC_INFO_V, NvmlReturn.UNKNOWN)))),
                        Path.of("/no-host"))
                .read();

        assertThat(facts.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-unreadable", Finding::code)
                .satisfies(finding -> assertThat(finding.message())
                        .startsWith(
                                "GPU 1 (0009:06:00.0, GPU-00002941-5b72-4e09-9d36-000000000001): does not answer: "));
    }

    @Test
    void aGpuThatCannotBeAskedForItsFabricIsNamed() {
        SimulatedTray tray = TrayPreset.GB200.tray().withGpu(1, MixedFabricTest::unaskable);

        NvmlFacts facts = new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read();

        assertThat(facts.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(facts.findings())
                .singleElement()
                .returns("fabric-unreadable", Finding::code)
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.message()).startsWith(titles(facts, "1") + ": "));
        assertThat(health(facts))
                .returns(ChannelStatus.ChannelCondition.UNKNOWN, ChannelStatus::status)
                .satisfies(health -> assertThat(health.message()).startsWith(titles(facts, "1")));
        assertThat(new HostChecks(inventory(facts), false, CliqueMissing.REFUSE).run())
                .filteredOn(check -> check.id().equals("gpus"))
                .singleElement()
                .returns(Severity.WARNING, CheckResult::severity)
                .satisfies(check -> assertThat(check.message()).contains(titles(facts, "1")));
    }

    @Test
    void aNodeOnWhichNoGpuCanBeAskedHasOneFinding() {
        SimulatedTray tray = TrayPreset.GB200.tray();
        for (int index = 0; index < 4; index++) {
            tray = tray.withGpu(index, MixedFabricTest::unaskable);
        }

        assertThat(codes(new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read()))
                .containsExactly("clique-unknown");
    }

    /** Each as the first GPU of a tray, the others in a clique. */
    @ParameterizedTest
    @EnumSource(UnknownCause.class)
    void everyReasonForAnUnknownFabricIsAFindingThatCheckReports(UnknownCause cause) {
        var gpus =
                new ArrayList<>(read(String.join(";", WELL, WELL, WELL, WELL)).gpus());
        Gpu first = gpus.getFirst();
        gpus.set(
                0,
                new Gpu(
                        0,
                        first.name(),
                        first.uuid(),
                        first.pci(),
                        new Gpu.GpuFabric.FabricUnknown(cause, "no answer"),
                        first.health()));
        CliqueState clique = CliqueState.of(gpus);
        NvmlFacts facts = new NvmlFacts(Inventories.gb200().driver(), gpus, clique, GpuFindings.of(gpus, clique));

        assertThat(facts.findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).startsWith(first.title() + ": "));
        assertThat(health(facts).status()).isGreaterThanOrEqualTo(ChannelStatus.ChannelCondition.UNKNOWN);
        assertThat(new HostChecks(inventory(facts), false, CliqueMissing.REFUSE).run())
                .filteredOn(check -> check.id().equals("gpus"))
                .singleElement()
                .satisfies(check -> assertThat(check.severity()).isNotEqualTo(Severity.OK));
    }

    @ParameterizedTest
    @CsvSource({
        "NVIDIA GB200, NVIDIA Graphics Device",
        "NVIDIA GB200, Graphics Device",
        "NVIDIA GB200, ''",
        "NVIDIA Graphics Device, NVIDIA GB200",
        "NVIDIA Graphics Device, NVIDIA Graphics Device"
    })
    void aGpuWithoutANameOfItsProductIsTakenForOneOfTheOthers(String others, String name) {
        SimulatedTray tray = FabricLine.tray(String.join(";", OUTSIDE, WELL, WELL, WELL));
        for (int index = 0; index < 4; index++) {
            String own = index == 0 ? name : others;
            tray = tray.withGpu(index, gpu -> named(gpu, own));
        }

        assertThat(codes(new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read()))
                .containsExactly("gpu-outside-fabric");
    }

    private static SimulatedGpu unaskable(SimulatedGpu gpu) {
        return gpu.withFailures(Map.of(
                NvmlCall.FABRIC_INFO_V, NvmlReturn.FUNCTION_NOT_FOUND,
                NvmlCall.FABRIC_INFO, NvmlReturn.FUNCTION_NOT_FOUND));
    }

    private static SimulatedGpu named(SimulatedGpu gpu, String name) {
        return new SimulatedGpu(name, gpu.uuid(), gpu.pciAddress(), gpu.fabric(), gpu.recoveryAction(), gpu.failures());
    }

    private static SimulatedGpu graphicsCard(SimulatedGpu gpu) {
        return named(gpu, "NVIDIA T400");
    }

    private static NvmlFacts read(String line) {
        return new NvmlProbe(new StagedNvml(FabricLine.tray(line)), Path.of("/no-host")).read();
    }

    private static ChannelStatus health(NvmlFacts facts) {
        return ChannelStatus.of(inventory(facts));
    }

    private static NodeInventory inventory(NvmlFacts facts) {
        return Inventories.with(
                Inventories.with(Inventories.with(Inventories.gb200(), facts.gpus()), facts.clique()),
                facts.findings().toArray(Finding[]::new));
    }

    private static List<String> codes(NvmlFacts facts) {
        return facts.findings().stream().map(Finding::code).toList();
    }

    private static String titles(NvmlFacts facts, String indexes) {
        return Gpu.titles(List.of(indexes.split(" ", -1)).stream()
                .map(index -> facts.gpus().get(Integer.parseInt(index)))
                .toList());
    }
}
