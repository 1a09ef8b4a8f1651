package io.imexagent.imex.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.StagedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bus is the one of the field, with four GPUs beside NICs; NVML lists three of them unless a test says otherwise. */
class GpusOnBusTest {

    private static final String BUS = "sys/bus/pci/devices/";
    private static final String LAST = "000b:01:00.0";

    @TempDir
    Path folder;

    private HostTree host = new HostTree(Path.of("/"));

    @BeforeEach
    void aBus() {
        host = HostTree.gb200(folder);
        for (String line : FabricLine.of("gpu-missing-pci.txt")) {
            String device = line.split(" ", -1)[1];
            boolean gpu = device.equals("0x2941");
            device(line.split(" ", -1)[0], gpu ? "0x10de" : "0x15b3", gpu ? "0x030200" : "0x020700", device);
        }
    }

    @Test
    void aGpuOfTheBusThatNvmlDoesNotListIsAFault() throws IOException {
        driver(LAST, "nvidia");
        host.with("proc/driver/nvidia/gpus/" + LAST + "/information", """
            Model: \t\t NVIDIA GB200
            GPU UUID: \t GPU-6a7d2b90-0000-4e09-9d36-00000000000b
            Bus Location: \t 000b:01:00.0
            GPU Excluded:\t No
            """);

        NvmlFacts facts = check(three());

        assertThat(facts.clique()).isInstanceOf(CliqueState.KnownClique.class);
        assertThat(facts.gpus()).hasSize(3);
        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-not-listed", Finding::code)
                .returns(Severity.CRITICAL, Finding::severity)
                .returns(
                        "GPU at 000b:01:00.0 (10de:2941, GPU-6a7d2b90-0000-4e09-9d36-00000000000b) is on the PCI bus,"
                                + " bound to nvidia, and NVML does not list it",
                        Finding::message);
    }

    @Test
    void aGpuThatItsDriverHasRefusedIsBoundToNone() {
        assertThat(check(three()).findings())
                .singleElement()
                .returns("gpu-not-listed", Finding::code)
                .satisfies(finding -> assertThat(finding.message()).contains("bound to no driver"));
    }

    @Test
    void aBusWithTheGpusThatNvmlListsIsWell() {
        NvmlFacts four = read(tray(4));

        assertThat(check(four)).isEqualTo(four);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vfio-pci", "nvgrace-gpu-vfio-pci", "pci-stub", "xen-pciback"})
    void aGpuForAVirtualMachineIsNoFault(String driver) throws IOException {
        driver(LAST, driver);

        assertThat(check(three()).findings())
                .singleElement()
                .returns("gpu-passed-through", Finding::code)
                .returns(Severity.INFO, Finding::severity)
                .satisfies(finding -> assertThat(finding.message())
                        .contains(LAST, "left to the driver " + driver, "virtual machine"));
    }

    @Test
    void aGpuThatIsSetAsideForAnotherDriverIsNoFault() {
        host.with(BUS + LAST + "/driver_override", "vfio-pci\n");
        assertThat(check(three()).findings()).singleElement().returns("gpu-passed-through", Finding::code);

        host.with(BUS + LAST + "/driver_override", "(null)\n");
        assertThat(check(three()).findings()).singleElement().returns("gpu-not-listed", Finding::code);
    }

    @Test
    void aGpuOfAnotherDriverIsAWarning() throws IOException {
        driver(LAST, "nouveau");

        assertThat(check(three()).findings())
                .singleElement()
                .returns("gpu-other-driver", Finding::code)
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.message()).doesNotContain("virtual machine"));
    }

    @Test
    void aGpuThatTheOperatorHasExcludedIsAWarning() throws IOException {
        driver(LAST, "nvidia");
        host.with(
                "proc/driver/nvidia/gpus/" + LAST + "/information", "GPU UUID: \t GPU-????????\nGPU Excluded:\t Yes\n");

        assertThat(check(three()).findings())
                .singleElement()
                .returns("gpu-excluded", Finding::code)
                .returns(Severity.WARNING, Finding::severity)
                .satisfies(finding -> assertThat(finding.message()).startsWith("GPU at 000b:01:00.0 (10de:2941): "));
    }

    @Test
    void virtualFunctionsAndOtherDevicesDoNotCount() {
        device("000c:01:00.4", "0x10de", "0x030200", "0x2941");
        host.with(BUS + "000c:01:00.4/physfn/vendor", "0x10de\n");
        device("0004:00:00.0", "0x10de", "0x060400", "0x22b1");
        device("0005:00:00.0", "0x10de", "0x068000", "0x22a3");

        assertThat(check(read(tray(4))).findings()).isEmpty();
    }

    @Test
    void aLostGpuIsNamedByTheAddressThatIsLeft() {
        host.with("proc/driver/nvidia/gpus/0009:01:00.0/information", "GPU UUID: GPU-9\nModel: NVIDIA GB200\n");

        NvmlFacts facts = check(read(tray(4).withGpu(1, SimulatedGpu::lost)));

        assertThat(facts.gpus().get(1).title()).isEqualTo("GPU 1 (0009:01:00.0, GPU-9)");
        assertThat(facts.findings())
                .singleElement()
                .returns("gpu-lost", Finding::code)
                .satisfies(finding ->
                        assertThat(finding.message()).startsWith("GPU 1 (0009:01:00.0, GPU-9): does not answer: "));
    }

    @Test
    void lostGpusAreNamedInTheOrderOfTheBus() {
        NvmlFacts facts = check(read(tray(4).withGpu(0, SimulatedGpu::lost).withGpu(3, SimulatedGpu::lost)));

        assertThat(facts.gpus())
                .extracting(Gpu::title)
                .startsWith("GPU 0 (0008:01:00.0)")
                .endsWith("GPU 3 (000b:01:00.0)");
        assertThat(facts.findings()).singleElement().returns("gpu-lost", Finding::code);
    }

    @Test
    void whereMoreAreMissingThanNvmlHasLostNoneIsGuessedAt() {
        NvmlFacts facts = check(read(tray(3).withGpu(1, SimulatedGpu::lost)));

        assertThat(facts.gpus().get(1).title()).isEqualTo("GPU 1");
        assertThat(facts.findings())
                .extracting(Finding::code)
                .containsExactly("gpu-lost", "gpu-not-listed", "gpu-not-listed");
        assertThat(facts.findings().getLast().message())
                .endsWith("; it may be GPU 1, of which NVML does not tell the address");
    }

    @Test
    void anNvmlThatListsNoneOfThemLeavesTheCliqueUnknown() {
        NvmlFacts facts = check(read(tray(0)));

        assertThat(facts.clique())
                .isEqualTo(new CliqueState.UnknownClique("NVML lists none of the GPUs on the PCI bus"));
        assertThat(facts.findings()).hasSize(4).extracting(Finding::code).containsOnly("gpu-not-listed");
    }

    @Test
    void gpusThatWereAllGivenAwayAreNone() throws IOException {
        for (String address : List.of("0008:01:00.0", "0009:01:00.0", "000a:01:00.0", LAST)) {
            driver(address, "vfio-pci");
        }

        assertThat(check(read(tray(0))).clique()).isEqualTo(new CliqueState.NoClique("no GPU"));
    }

    @Test
    void withoutADriverNothingIsCompared() {
        NvmlFacts absent = read(tray(4).withFailure(NvmlCall.INIT, NvmlReturn.DRIVER_NOT_LOADED));

        assertThat(absent.driver()).isInstanceOf(DriverState.AbsentDriver.class);
        assertThat(check(absent)).isEqualTo(absent);
    }

    @Test
    void aBusThatCannotBeReadIsAFinding() {
        host.unreadable(BUS + LAST + "/vendor");
        assertThat(check(three()).findings())
                .singleElement()
                .returns("pci-bus-unreadable", Finding::code)
                .returns(Severity.WARNING, Finding::severity);
    }

    @Test
    void aMissingBusIsAFindingWhereNvmlListsGpus() {
        var bare = new GpusOnBus(new Machine(folder.resolve("bare")));

        assertThat(bare.check(three()).findings())
                .singleElement()
                .returns("pci-bus-unreadable", Finding::code)
                .returns("/sys/bus/pci/devices is missing, though NVML lists GPUs", Finding::message);
        assertThat(bare.check(read(tray(0))).findings())
                .extracting(Finding::code)
                .doesNotContain("pci-bus-unreadable");
    }

    private NvmlFacts check(NvmlFacts facts) {
        return new GpusOnBus(new Machine(host.root())).check(facts);
    }

    private static NvmlFacts three() {
        return read(tray(3));
    }

    private static NvmlFacts read(SimulatedTray tray) {
        return new NvmlProbe(new StagedNvml(tray), Path.of("/no-host")).read();
    }

    /** The first GPUs of the bus, as NVML lists them. */
    private static SimulatedTray tray(int gpus) {
        SimulatedTray tray = TrayPreset.GB200.tray();
        List<String> addresses = List.of("0008:01:00.0", "0009:01:00.0", "000a:01:00.0", LAST);
        for (int index = 0; index < addresses.size(); index++) {
            String address = addresses.get(index);
            tray = tray.withGpu(
                    index,
                    gpu -> new SimulatedGpu(
                            gpu.name(), gpu.uuid(), address, gpu.fabric(), gpu.recoveryAction(), gpu.failures()));
        }
        return tray.withGpus(tray.gpus().subList(0, gpus));
    }

    private void device(String address, String vendor, String kind, String device) {
        host.with(BUS + address + "/vendor", vendor + "\n")
                .with(BUS + address + "/class", kind + "\n")
                .with(BUS + address + "/device", device + "\n");
    }

    private void driver(String address, String name) throws IOException {
        Files.createSymbolicLink(host.path(BUS + address + "/driver"), Path.of("../../../../bus/pci/drivers/" + name));
    }
}
