package io.imexagent.imex.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.imex.fake.HostTree;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The gate over files. */
@Timeout(30)
class HostGateTest {

    private static final DriverState LOADED = new DriverState.LoadedDriver("580", "13");
    private static final String DEVICES = "sys/bus/pci/devices/";

    @TempDir
    Path folder;

    private HostTree host = new HostTree(Path.of("/"));
    private Path root = Path.of("/");

    @BeforeEach
    void aTray() {
        host = HostTree.gb200(folder.resolve("host"));
        root = folder.resolve("host");
        gpu("0008:06:00.0", "0x10de", "0x030200", "0x2941");
    }

    @Test
    void opensOnAGb200Tray() throws InterruptedException {
        assertThat(ask())
                .isEqualTo(new GateVerdict.Open("GPU 10de:2941 at 0008:06:00.0 supports IMEX, its driver is up"));
    }

    @Test
    void takesNoOtherDeviceForAGpu() throws InterruptedException {
        without("0008:06:00.0");
        gpu("0000:01:00.0", "0x15b3", "0x020700", "0x2941");
        gpu("0000:02:00.0", "0x10de", "0x068000", "0x2941");
        gpu("0000:03:00.0", "0x1002", "0x030000", "0x2941");

        assertThat(ask())
                .isInstanceOfSatisfying(
                        GateVerdict.Closed.class,
                        closed -> assertThat(closed.cause()).isEqualTo(GateVerdict.GateCause.NO_GPU));
    }

    @Test
    void aMachineWithoutPciHasNoGpu() throws InterruptedException {
        Path bare = folder.resolve("elsewhere/host");

        assertThat(gate(bare).ask())
                .isInstanceOfSatisfying(
                        GateVerdict.Closed.class,
                        closed -> assertThat(closed.cause()).isEqualTo(GateVerdict.GateCause.NO_GPU));
    }

    @Test
    void aDriverThatHasNotRegisteredIsNotUp() {
        assertThat(HostQuestions.driverUp("Character devices:\n195 nvidia\n195 nvidiactl\n"))
                .isTrue();
        assertThat(HostQuestions.driverUp("Character devices:\n507 nvidia-caps-imex-channels\n"))
                .isTrue();
        assertThat(HostQuestions.driverUp("Character devices:\n  1 mem\n\nBlock devices:\n195 nvidia\n"))
                .isFalse();
        assertThat(HostQuestions.driverUp("Character devices:\n  1 mem\n 10 not-nvidia\n"))
                .isFalse();
        assertThat(HostQuestions.driverUp("")).isFalse();
    }

    @Test
    void anNvmlThatHangsIsGivenUp() throws InterruptedException {
        var never = new CountDownLatch(1);
        var questions = new HostQuestions(
                host.root(),
                () -> {
                    awaitUninterrupted(never);
                    throw new IllegalStateException("not reached");
                },
                System::nanoTime,
                Duration.ZERO);

        assertThat(questions.nvml(Duration.ofMillis(50)).driver()).isInstanceOf(DriverState.FailingDriver.class);
        never.countDown();
    }

    @Test
    void theStartOfTheProcessCounts() {
        var questions = new HostQuestions(
                host.root(),
                () -> {
                    throw new IllegalStateException("nobody needs NVML here");
                },
                () -> 0,
                Duration.ofSeconds(2));

        assertThat(questions.elapsed()).isEqualTo(Duration.ofSeconds(2));
    }

    @Test
    void anNvmlThatBreaksIsAFailure() throws InterruptedException {
        var questions = new HostQuestions(
                host.root(),
                () -> {
                    throw new IllegalStateException("broken");
                },
                System::nanoTime,
                Duration.ZERO);

        assertThat(questions.nvml(Duration.ofSeconds(20)).driver())
                .isInstanceOfSatisfying(
                        DriverState.FailingDriver.class,
                        failing -> assertThat(failing.reason()).contains("broken"));
    }

    @Test
    void aSkippedStartThatHasBecomePossibleIsAFinding() {
        var skipped = new SkippedStart(host.root(), ServiceSettings::service);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver: GPU 10de:2941"));

        assertThat(skipped.finding(new NvmlFacts(
                        new DriverState.AbsentDriver("none"),
                        List.of(),
                        new CliqueState.UnknownClique("none"),
                        List.of())))
                .isEmpty();
        Optional<Finding> finding = skipped.finding(loaded(List.of(Inventories.gpu("NVIDIA GB200"))));
        assertThat(finding).hasValueSatisfying(found -> {
            assertThat(found.code()).isEqualTo("imex-skipped-at-boot");
            assertThat(found.message()).contains("skipped at boot", "eligible now", "no driver: GPU 10de:2941");
            assertThat(found.remedy()).isEqualTo("systemctl start nvidia-imex");
        });
        // By its PCI device too, where NVML has another name for it.
        assertThat(skipped.finding(loaded(List.of(Inventories.gpu("NVIDIA Graphics Device")))))
                .isPresent();
    }

    @Test
    void aSkippedStartThatWouldBeSkippedAgainIsNone() {
        without("0008:06:00.0");
        var skipped = new SkippedStart(host.root(), ServiceSettings::service);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NOT_CAPABLE, "GPU without IMEX"));

        assertThat(skipped.finding(loaded(List.of(Inventories.gpu("NVIDIA B200")))))
                .isEmpty();
    }

    @Test
    void aStartThatTheVendorRulesOutIsNoFinding() {
        host.with("sys/class/dmi/id/sys_vendor", "QEMU\n");
        leave(new GateVerdict.Closed(GateVerdict.GateCause.VENDOR, "vendor not in the list"));
        List<Gpu> gpus = List.of(Inventories.gpu("NVIDIA GB200"));

        assertThat(skipped(true, List.of("Microsoft Corporation")).finding(loaded(gpus)))
                .isEmpty();
        assertThat(skipped(true, List.of("Microsoft Corporation", "QEMU")).finding(loaded(gpus)))
                .isPresent();
    }

    @Test
    void whereTheGateIsSwitchedOffThereIsNoFinding() {
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        List<Gpu> gpus = List.of(Inventories.gpu("NVIDIA GB200"));

        assertThat(skipped(false, List.of()).finding(loaded(gpus))).isEmpty();
        assertThat(skipped(true, List.of()).finding(loaded(gpus))).isPresent();
    }

    @Test
    void aStartThatAReloadedConfigurationAllowsIsAFinding() {
        host.with("sys/class/dmi/id/sys_vendor", "QEMU\n");
        leave(new GateVerdict.Closed(GateVerdict.GateCause.VENDOR, "vendor not in the list"));
        var vendors = new ArrayList<>(List.of("Microsoft Corporation"));
        var skipped = new SkippedStart(host.root(), () -> ServiceSettings.service(true, vendors));
        List<Gpu> gpus = List.of(Inventories.gpu("NVIDIA GB200"));
        assertThat(skipped.finding(loaded(gpus))).isEmpty();

        vendors.add("QEMU");

        assertThat(skipped.finding(loaded(gpus))).isPresent();
    }

    @Test
    void aMachineWhoseVendorCannotBeReadIsNotEligible() {
        host.without("sys/class/dmi/id/sys_vendor").with("sys/class/dmi/id/sys_vendor/file", "a folder in its place");
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));

        assertThat(skipped(true, List.of("NVIDIA")).finding(loaded(List.of(Inventories.gpu("NVIDIA GB200")))))
                .isEmpty();
    }

    @Test
    void aStartThatIsLetThroughEndsTheFinding() {
        List<Gpu> gpus = List.of(Inventories.gpu("NVIDIA GB200"));
        var skipped = new SkippedStart(host.root(), ServiceSettings::service);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        assertThat(skipped.finding(loaded(gpus))).isPresent();

        leave(new GateVerdict.Undetermined("not now"));
        assertThat(skipped.finding(loaded(gpus))).isPresent();
        leave(new GateVerdict.Open("yes"));
        assertThat(skipped.finding(loaded(gpus))).isEmpty();
    }

    /** A GB200 in a virtual machine, or below a driver that lacks the call. */
    @Test
    void aListedGpuThatIsSaidToSupportNoFabricIsAFinding() {
        var findings = new GateFindings(host.root(), ServiceSettings::service);
        Gpu gpu = new Gpu(0, "NVIDIA GB200", "GPU-0", Optional.empty(), new Gpu.GpuFabric.NoFabric(), GpuHealth.UNTOLD);
        NvmlFacts none = loaded(List.of(gpu));

        assertThat(findings.of(none)).singleElement().satisfies(found -> {
            assertThat(found.code()).isEqualTo("rack-gpu-without-fabric");
            assertThat(found.message()).contains("GPU at 0008:06:00.0 (10de:2941)");
        });
        assertThat(findings.of(loaded(List.of(Inventories.gpu("NVIDIA GB200")))))
                .isEmpty();
        without("0008:06:00.0");
        gpu("0008:06:00.0", "0x10de", "0x030200", "0x2335");
        assertThat(findings.of(none)).isEmpty();
    }

    /** Of a boot the first skip counts: 1000 s of uptime and 30 minutes. */
    @Test
    void aStartForAListedGpuWithoutADriverIsWorthTryingAgain() throws Exception {
        Path late = host.root().resolve("run/imex-agent/driver-late");
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        assertThat(late).hasContent("2800");
        host.with("proc/uptime", "1500.00 1.00\n");
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        assertThat(late).hasContent("2800");

        leave(new GateVerdict.Open("yes"));
        assertThat(late).doesNotExist();
        leave(new GateVerdict.Closed(GateVerdict.GateCause.VENDOR, "vendor not in the list"));
        assertThat(late).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource(names = {"NO_DRIVER", "FABRIC_NOT_READY"})
    void aStartForAnUnlistedGpuIsWorthTryingAgainWhileDriverOrFabricMayCome(GateVerdict.GateCause cause) {
        without("0008:06:00.0");
        gpu("0008:06:00.0", "0x10de", "0x030200", "0x3fff");
        Path late = host.root().resolve("run/imex-agent/driver-late");

        leave(new GateVerdict.Closed(cause, "not yet"));
        assertThat(late).hasContent("2800");

        leave(new GateVerdict.Closed(GateVerdict.GateCause.NOT_CAPABLE, "its fabric has no cluster"));
        assertThat(late).doesNotExist();
    }

    /** A driver that comes up fails for a moment: /dev/nvidiactl is not there yet, or its GPU is not bound yet. */
    @Test
    void whileItIsTriedWhatMayPassSkipsTheStartAndEndsNoTries() {
        Path late = host.root().resolve("run/imex-agent/driver-late");
        var start = skipped(true, List.of());
        var failing = new GateVerdict.Undetermined("NVML fails", true);
        var unbound = new GateVerdict.Closed(GateVerdict.GateCause.NO_GPU, "no GPU is bound", true);
        assertThat(start.whileTried(failing)).isEqualTo(failing);
        assertThat(start.whileTried(unbound)).isEqualTo(unbound);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));

        for (GateVerdict passing : List.of(failing, unbound)) {
            GateVerdict verdict = start.whileTried(passing);
            assertThat(verdict)
                    .isEqualTo(new GateVerdict.Closed(
                            GateVerdict.GateCause.NO_DRIVER,
                            "no driver that answers yet: " + passing.reason() + "; it is tried again"));
            leave(verdict);
            assertThat(late).hasContent("2800");
        }
        var broken = new GateVerdict.Undetermined("the host cannot be read");
        assertThat(start.whileTried(broken)).isEqualTo(broken);

        host.with("proc/uptime", "2800.00 1.00\n");
        assertThat(start.whileTried(failing)).isEqualTo(failing);
        assertThat(start.whileTried(unbound)).isEqualTo(unbound);
    }

    @Test
    void aFabricThatMayStillBeReadEndsNoTriesAndBeginsNone() {
        Path late = host.root().resolve("run/imex-agent/driver-late");
        var unknown = new GateVerdict.Closed(GateVerdict.GateCause.NOT_CAPABLE, "NVML does not tell its fabric", true);
        leave(unknown);
        assertThat(late).doesNotExist();

        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        leave(unknown);
        assertThat(late).hasContent("2800");

        host.with("proc/uptime", "2800.00 1.00\n");
        leave(unknown);
        assertThat(late).doesNotExist();
    }

    @Test
    void aGpuThatAnotherDriverHasIsNotWaitedFor() {
        host.with(DEVICES + "0008:06:00.0/driver_override", "vfio-pci\n");

        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));

        assertThat(host.root().resolve("run/imex-agent/driver-late")).doesNotExist();
    }

    @Test
    void aFabricThatRegisteredLateIsAFinding() {
        without("0008:06:00.0");
        gpu("0008:06:00.0", "0x10de", "0x030200", "0x3fff");
        var skipped = new SkippedStart(host.root(), ServiceSettings::service);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.FABRIC_NOT_READY, "fabric not ready: GPU 0"));
        Gpu registered = Inventories.gpu("NVIDIA Graphics Device");
        var registering = new Gpu(
                0,
                registered.name(),
                "GPU-0",
                registered.pci(),
                new Gpu.GpuFabric.FabricRegistering("in_progress"),
                GpuHealth.UNTOLD);

        assertThat(skipped.finding(loaded(List.of(registering)))).isEmpty();
        assertThat(skipped.finding(loaded(List.of(registered))))
                .hasValueSatisfying(found -> assertThat(found.message()).contains("fabric not ready: GPU 0"));
    }

    @Test
    void aGateThatIsSwitchedOffLeavesNoMark() {
        var skipped = new SkippedStart(host.root(), ServiceSettings::service);
        leave(new GateVerdict.Closed(GateVerdict.GateCause.NO_DRIVER, "no driver"));
        leave(new GateVerdict.Closed(GateVerdict.GateCause.SWITCHED_OFF, "off"));

        assertThat(skipped.finding(loaded(List.of(Inventories.gpu("NVIDIA GB200")))))
                .isEmpty();
    }

    @Test
    void aMarkThatCannotBeLeftIsToldAndChangesNoVerdict() {
        host.with("run", "a file where a folder must be");

        assertThat(skipped(true, List.of()).record(new GateVerdict.Closed(GateVerdict.GateCause.NO_GPU, "no GPU")))
                .hasValueSatisfying(why -> assertThat(why).contains("could not leave a note"));
    }

    private static NvmlFacts loaded(List<Gpu> gpus) {
        return new NvmlFacts(LOADED, gpus, new CliqueState.NoClique("none"), List.of());
    }

    private SkippedStart skipped(boolean gate, List<String> vendors) {
        return new SkippedStart(host.root(), () -> ServiceSettings.service(gate, vendors));
    }

    private GateVerdict ask() throws InterruptedException {
        return gate(root).ask();
    }

    private void leave(GateVerdict verdict) {
        assertThat(skipped(true, List.of()).record(verdict)).isEmpty();
    }

    private static Gate gate(Path root) {
        Supplier<NvmlFacts> unasked = () -> {
            throw new IllegalStateException("nobody needs NVML here");
        };
        return new Gate(root, ServiceSettings.service(), unasked, System::nanoTime, Duration.ZERO);
    }

    private void gpu(String address, String vendor, String kind, String device) {
        host.with(DEVICES + address + "/vendor", vendor + "\n")
                .with(DEVICES + address + "/class", kind + "\n")
                .with(DEVICES + address + "/device", device + "\n");
    }

    private void without(String address) {
        for (String attribute : List.of("vendor", "class", "device")) {
            host.without(DEVICES + address + "/" + attribute);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }
}
