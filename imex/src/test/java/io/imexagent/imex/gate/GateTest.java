package io.imexagent.imex.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.GateVerdict.GateCause;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {

    private static final Duration LONG = Duration.ofDays(1);
    private static final ImexServiceSettings DEFAULTS = ServiceSettings.service();

    private static final Gpu.GpuFabric REGISTERING = new Gpu.GpuFabric.FabricRegistering("in_progress");
    private static final Gpu.GpuFabric FAILED =
            new Gpu.GpuFabric.FabricFailed("registration ended with Unknown Error (999)");
    private static final Gpu.GpuFabric NO_CLUSTER =
            new Gpu.GpuFabric.FabricRegistered(Optional.empty(), List.of(), List.of());
    private static final Gpu.GpuFabric IN_CLUSTER =
            new Gpu.GpuFabric.FabricRegistered(Optional.of(Inventories.CLIQUE), List.of(), List.of());

    private final FakeQuestions host = new FakeQuestions();

    @ParameterizedTest
    @ValueSource(strings = {"2941", "31c2", "3041", "307f"})
    void opensForAListedPciDeviceWhoseDriverIsUpWithoutAskingNvml(String device) throws InterruptedException {
        assertThat(ask(host.onBus(device))).isInstanceOf(GateVerdict.Open.class);

        assertThat(host.asked()).containsExactly("vendor", "pci", "driver");
    }

    @Test
    void isSwitchedOffBeforeItAsksAnything() throws InterruptedException {
        var off = service(List.of(), false, DEFAULTS.gpuNames(), false);

        assertThat(cause(off, host.onBus("2941"))).isEqualTo(GateCause.SWITCHED_OFF);
        assertThat(host.asked()).isEmpty();
    }

    @Test
    void asksForTheVendorBeforeTheGpu() throws InterruptedException {
        var azure = service(List.of("Microsoft Corporation"), true, DEFAULTS.gpuNames(), false);

        assertThat(cause(azure, host.vendor("Supermicro"))).isEqualTo(GateCause.VENDOR);
        assertThat(host.asked()).containsExactly("vendor");
        assertThat(cause(azure, new FakeQuestions().vendor(""))).isEqualTo(GateCause.VENDOR);
        assertThat(verdict(
                        azure,
                        new FakeQuestions().vendor("Microsoft Corporation").onBus("2941")))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void aHostWithoutGpuIsToldWithoutNvml() throws InterruptedException {
        assertThat(cause(DEFAULTS, host)).isEqualTo(GateCause.NO_GPU);

        assertThat(host.asked()).doesNotContain("nvml", "driver");
    }

    @Test
    void gpusThatWereAllGivenAwayAreNoneAtOnce() throws InterruptedException {
        for (String device : List.of("2941", "3fff")) {
            FakeQuestions given = new FakeQuestions()
                    .onBus(device, device)
                    .boundTo("vfio-pci", "vfio-pci")
                    .driverUpAfter(LONG);

            GateVerdict verdict = ask(given);

            assertThat(verdict)
                    .isEqualTo(new GateVerdict.Closed(
                            GateCause.NO_GPU,
                            "no GPU: each NVIDIA GPU on the PCI bus was given to another driver (vfio-pci)"));
            assertThat(given.elapsed()).isZero();
            assertThat(given.asked()).containsExactly("vendor", "pci");
        }
    }

    @Test
    void aListedGpuThatWasGivenAwayNeitherOpensNorIsWaitedFor() throws InterruptedException {
        FakeQuestions mixed = new FakeQuestions().onBus("2941", "2335").boundTo("vfio-pci", "nvidia");
        assertThat(cause(DEFAULTS, mixed)).isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(mixed.elapsed()).isZero();

        // One that no driver has yet may still be NVIDIA's.
        assertThat(ask(new FakeQuestions().onBus("2941", "2941").boundTo("vfio-pci", "")))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void waitsForTheDriverOfAListedDevice() throws InterruptedException {
        assertThat(ask(host.onBus("2941").driverUpAfter(Duration.ofSeconds(7)))).isInstanceOf(GateVerdict.Open.class);

        assertThat(host.elapsed()).isBetween(Duration.ofSeconds(7), Duration.ofMillis(7200));
    }

    @Test
    void skipsAfterEightSecondsAndSaysWhatToDoThen() throws InterruptedException {
        GateVerdict verdict = ask(host.onBus("2941").driverUpAfter(LONG));

        assertThat(verdict).isInstanceOf(GateVerdict.Closed.class);
        assertThat(verdict.reason()).contains("no driver", "8 s", "systemctl start nvidia-imex");
        assertThat(host.elapsed()).isBetween(Gate.PATIENCE, Duration.ofMillis(8200));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NVIDIA GB200", "NVIDIA GB300", "NVIDIA GB200-189C", "GB200"})
    void opensForAnUnlistedDeviceWithTheName(String name) throws InterruptedException {
        assertThat(ask(host.onBus("2999").nvml(loaded(Inventories.gpu(name))))).isInstanceOf(GateVerdict.Open.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NVIDIA B200", "NVIDIA B300 SXM6 AC", "NVIDIA GB10", "NVIDIA GB2000", "NVIDIA GH200 480GB"})
    void closesForAnyOtherName(String name) throws InterruptedException {
        GateVerdict verdict = ask(host.onBus("2b85").nvml(loaded(gpuOutside(name))));

        assertThat(verdict).isInstanceOf(GateVerdict.Closed.class);
        assertThat(((GateVerdict.Closed) verdict).cause()).isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(verdict.reason()).contains(name);
    }

    /** Names of racks to come are not known, and early drivers call every GPU the same. */
    @Test
    void opensForAnUnlistedGpuInAFabricWhateverItsName() throws InterruptedException {
        NvmlFacts inFabric = loaded(Inventories.gpu("NVIDIA Graphics Device"));
        var namesAlone = service(List.of(), true, DEFAULTS.gpuNames(), false);

        assertThat(ask(new FakeQuestions().onBus("3fff").nvml(inFabric))).isInstanceOf(GateVerdict.Open.class);
        assertThat(cause(namesAlone, new FakeQuestions().onBus("3fff").nvml(inFabric)))
                .isEqualTo(GateCause.NOT_CAPABLE);
    }

    @Test
    void oneGpuInAFabricIsEnough() throws InterruptedException {
        NvmlFacts tray = loaded(with(REGISTERING), with(FAILED), Inventories.gpu("NVIDIA Graphics Device"));

        assertThat(ask(host.onBus("3fff").nvml(tray))).isInstanceOf(GateVerdict.Open.class);
        assertThat(host.elapsed()).isZero();
    }

    static Stream<Gpu.GpuFabric> fabricsThatOpenNothing() {
        return Stream.of(
                NO_CLUSTER,
                FAILED,
                new Gpu.GpuFabric.NoFabric(),
                new Gpu.GpuFabric.FabricUnknown(Gpu.GpuFabric.FabricUnknown.UnknownCause.UNREADABLE, "no answer"),
                new Gpu.GpuFabric.FabricUnknown(Gpu.GpuFabric.FabricUnknown.UnknownCause.UNASKABLE, "too old"),
                new Gpu.GpuFabric.FabricUnknown(
                        Gpu.GpuFabric.FabricUnknown.UnknownCause.UNNAMED_STATE, "fabric state 7 is not known"));
    }

    @ParameterizedTest
    @MethodSource("fabricsThatOpenNothing")
    void whereThereIsNoFabricNamesAndIdsDecide(Gpu.GpuFabric fabric) throws InterruptedException {
        assertThat(cause(DEFAULTS, host.onBus("3fff").nvml(loaded(with(fabric)))))
                .isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(host.elapsed()).isZero();
        var named = new Gpu(0, "NVIDIA GB200", "GPU-0", Optional.empty(), fabric, GpuHealth.UNTOLD);
        assertThat(ask(new FakeQuestions().onBus("3fff").nvml(loaded(named)))).isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void aGpuThatItsNameListsNeedsNoFabric() throws InterruptedException {
        var named = new Gpu(0, "NVIDIA GB300", "GPU-0", Optional.empty(), REGISTERING, GpuHealth.UNTOLD);

        assertThat(ask(host.onBus("3fff").nvml(loaded(named)))).isInstanceOf(GateVerdict.Open.class);
        assertThat(host.elapsed()).isZero();
    }

    @Test
    void waitsForAFabricThatIsRegistering() throws InterruptedException {
        host.onBus("3fff")
                .nvml(loaded(with(REGISTERING)))
                .nvmlFrom(
                        Duration.ofSeconds(6), loaded(Inventories.gpu("NVIDIA Graphics Device")), Duration.ofMillis(1));

        assertThat(ask(host)).isInstanceOf(GateVerdict.Open.class);
        assertThat(host.elapsed()).isBetween(Duration.ofSeconds(6), Duration.ofSeconds(8));
    }

    @Test
    void staysShutWhereTheFabricDoesNotEndItsRegistrationInTime() throws InterruptedException {
        GateVerdict verdict = ask(host.onBus("3fff").nvml(loaded(with(REGISTERING))));

        assertThat(verdict).isInstanceOfSatisfying(GateVerdict.Closed.class, closed -> {
            assertThat(closed.cause()).isEqualTo(GateCause.FABRIC_NOT_READY);
            assertThat(closed.reason())
                    .contains("fabric not ready: GPU 0", "in_progress", "8 s", "systemctl start nvidia-imex");
        });
        assertThat(host.elapsed()).isBetween(Gate.PATIENCE, Gate.LIMIT);
    }

    /** The answer that it gave stands: a unit that is skipped is tried again, one that failed is not. */
    @Test
    void aLaterQuestionThatIsNotAnsweredLeavesTheFabricRegistering() throws InterruptedException {
        for (Duration takes : List.of(Duration.ofMillis(1), LONG)) {
            FakeQuestions stuck = new FakeQuestions()
                    .onBus("3fff")
                    .nvml(loaded(with(REGISTERING)))
                    .nvmlFrom(Duration.ofSeconds(3), NvmlFacts.failing("mismatch"), takes);

            assertThat(cause(DEFAULTS, stuck)).isEqualTo(GateCause.FABRIC_NOT_READY);
            assertThat(stuck.elapsed()).isLessThanOrEqualTo(Gate.LIMIT);
        }
    }

    @Test
    void withoutTheFabricNothingIsWaitedFor() throws InterruptedException {
        var namesAlone = service(List.of(), true, DEFAULTS.gpuNames(), false);

        assertThat(cause(namesAlone, host.onBus("3fff").nvml(loaded(with(REGISTERING)))))
                .isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(host.elapsed()).isZero();
    }

    /** An HGX of a device that no list has: its GPUs register until their fabric manager is up, then in no cluster. */
    @Test
    void anUnlistedHgxIsWaitedForAndStaysShut() throws InterruptedException {
        host.onBus("2999")
                .nvml(loaded(with(REGISTERING)))
                .nvmlFrom(Duration.ofSeconds(4), loaded(with(NO_CLUSTER)), Duration.ofMillis(1));

        assertThat(cause(DEFAULTS, host)).isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(host.elapsed()).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(6));
    }

    /** H200 and B200 behind NVSwitches, and a graphics card that makes the gate ask. */
    @ParameterizedTest
    @ValueSource(strings = {"2335", "2901"})
    void theFabricOfAGpuThatIsKnownToHaveNoImexCountsForNothing(String device) throws InterruptedException {
        for (Gpu.GpuFabric fabric : List.of(REGISTERING, NO_CLUSTER, IN_CLUSTER)) {
            FakeQuestions hgx = new FakeQuestions().onBus(device, "2b85").nvml(loaded(at(0, fabric), card(1)));

            assertThat(cause(DEFAULTS, hgx)).isEqualTo(GateCause.NOT_CAPABLE);
            assertThat(hgx.elapsed()).isZero();
        }
        assertThat(ask(new FakeQuestions().onBus(device, "3fff").nvml(loaded(at(0, NO_CLUSTER), at(1, IN_CLUSTER)))))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void theDevicesWithoutImexGoBeforeTheFabricWhateverThePattern() throws InterruptedException {
        var own = service(List.of(), true, "H100", true);

        assertThat(cause(own, host.onBus("2335").nvml(loaded(at(0, REGISTERING)))))
                .isEqualTo(GateCause.NOT_CAPABLE);
        assertThat(host.elapsed()).isZero();
    }

    @Test
    void thePatternIsTheOperators() throws InterruptedException {
        var own = service(List.of(), true, "Graphics Device$", false);

        assertThat(verdict(own, host.onBus("2999").nvml(loaded(gpuOutside("NVIDIA Graphics Device")))))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void anUnlistedDeviceWithoutDriverIsNotWaitedFor() throws InterruptedException {
        assertThat(cause(DEFAULTS, host.onBus("2b85"))).isEqualTo(GateCause.NO_DRIVER);
    }

    @Test
    void aDriverThatIsLoadedAndCannotBeAskedIsNoMissingDriver() throws InterruptedException {
        String places = "the NVIDIA kernel module is loaded, and the driver's library is not found";
        var failing = new NvmlFacts(
                new DriverState.FailingDriver(places),
                List.of(),
                new CliqueState.UnknownClique(places),
                List.of(Finding.critical("driver-library-not-found", places, "set host.driverRoot to its folder")));

        GateVerdict verdict = ask(host.onBus("2b85").nvml(failing));

        assertThat(verdict).isInstanceOf(GateVerdict.Undetermined.class);
        assertThat(verdict.reason())
                .isEqualTo("NVML does not say what 10de:2b85 is: " + places + "; set host.driverRoot to its folder");
    }

    /** A driver of theirs that fails, or hangs as it is loaded, fails no unit. */
    @Test
    void aGpuThatIsKnownToHaveNoImexNeedsNoDriver() throws Exception {
        for (String device : List.of("2901", "3182", "2330", "2335", "2329", "2324")) {
            GateVerdict verdict = ask(new FakeQuestions().onBus(device).nvmlTakes(LONG));

            assertThat(verdict).isInstanceOfSatisfying(GateVerdict.Closed.class, closed -> {
                assertThat(closed.cause()).isEqualTo(GateCause.NOT_CAPABLE);
                assertThat(closed.reason()).contains("GPU without IMEX: NVIDIA ");
            });
        }
        // Beside one that is not known, or where the operator counts more than GB200s, the driver is asked.
        assertThat(ask(new FakeQuestions().onBus("2901", "2b85").nvml(NvmlFacts.failing("mismatch"))))
                .isInstanceOf(GateVerdict.Undetermined.class);
        assertThat(verdict(
                        service(List.of(), true, "H100", false),
                        new FakeQuestions().onBus("2330").nvml(NvmlFacts.failing("mismatch"))))
                .isInstanceOf(GateVerdict.Undetermined.class);
        assertThat(host.elapsed()).isZero();
    }

    @Test
    void aDriverThatHangsOrFailsLeavesItOpenWithinTheLimit() throws InterruptedException {
        assertThat(ask(host.onBus("2b85").nvmlTakes(LONG))).isInstanceOf(GateVerdict.Undetermined.class);
        assertThat(host.elapsed()).isEqualTo(Gate.LIMIT);

        assertThat(ask(new FakeQuestions().onBus("2b85").nvml(NvmlFacts.failing("mismatch"))))
                .isInstanceOfSatisfying(
                        GateVerdict.Undetermined.class,
                        undetermined -> assertThat(undetermined.reason()).contains("10de:2b85", "mismatch"));
    }

    @Test
    void gpusInOtherHandsThanTheDriversAreNone() throws InterruptedException {
        assertThat(cause(DEFAULTS, host.onBus("2b85").nvml(loaded()))).isEqualTo(GateCause.NO_GPU);
    }

    @Test
    void aGpuThatDoesNotTellItsNameLeavesItOpen() throws InterruptedException {
        assertThat(ask(host.onBus("2b85").nvml(loaded(gpuOutside(""))))).isInstanceOf(GateVerdict.Undetermined.class);
    }

    /** NVML tells no address of a GPU that fell off the bus: it is the one that is left. */
    @Test
    void aLostGpuThatIsKnownToHaveNoImexLeavesNothingOpen() throws InterruptedException {
        var unread = new Gpu.GpuFabric.FabricUnknown(Gpu.GpuFabric.FabricUnknown.UnknownCause.LOST, "it is lost");
        var lost = new Gpu(0, "", "", Optional.empty(), unread, GpuHealth.UNTOLD);
        var nameless = new Gpu(0, "", "", Optional.of(new PciAddress(0, 6, 0, 0)), unread, GpuHealth.UNTOLD);

        for (Gpu h100 : List.of(lost, nameless)) {
            GateVerdict verdict = ask(new FakeQuestions().onBus("2330", "2b85").nvml(loaded(h100, card(1))));

            assertThat(verdict).isInstanceOfSatisfying(GateVerdict.Closed.class, closed -> {
                assertThat(closed.cause()).isEqualTo(GateCause.NOT_CAPABLE);
                assertThat(closed.mayPass()).isFalse();
            });
        }
        assertThat(ask(new FakeQuestions().onBus("2330", "2b85", "2b85").nvml(loaded(lost, card(1)))))
                .isInstanceOf(GateVerdict.Undetermined.class);
        assertThat(verdict(
                        service(List.of(), true, "H100", true),
                        new FakeQuestions().onBus("2330").nvml(loaded(nameless))))
                .isInstanceOf(GateVerdict.Undetermined.class);
    }

    @Test
    void aFabricThatIsNotKnownIsNotSaidToBeNone() throws InterruptedException {
        GateVerdict unknown = ask(new FakeQuestions()
                .onBus("3fff")
                .nvml(loaded(with(new Gpu.GpuFabric.FabricUnknown(
                        Gpu.GpuFabric.FabricUnknown.UnknownCause.UNREADABLE, "no answer")))));

        assertThat(unknown.reason()).endsWith(", and NVML does not tell its NVLink fabric; GPU 0 (GPU-0): no answer");
        assertThat(ask(new FakeQuestions().onBus("3fff").nvml(loaded(with(FAILED))))
                        .reason())
                .contains("is in no multi-node NVLink fabric; GPU 0 (GPU-0): registration ended with");
    }

    @Test
    void saysWhatMayPass() throws InterruptedException {
        assertThat(mayPass(loaded())).isTrue();
        assertThat(mayPass(NvmlFacts.failing("no /dev/nvidiactl"))).isTrue();
        assertThat(mayPass(loaded(gpuOutside("")))).isTrue();
        assertThat(mayPass(loaded(with(FAILED)))).isTrue();
        assertThat(mayPass(loaded(with(new Gpu.GpuFabric.FabricUnknown(
                        Gpu.GpuFabric.FabricUnknown.UnknownCause.UNREADABLE, "no answer")))))
                .isTrue();
        assertThat(mayPass(loaded(with(new Gpu.GpuFabric.FabricUnknown(
                        Gpu.GpuFabric.FabricUnknown.UnknownCause.UNASKABLE, "too old")))))
                .isFalse();
        assertThat(mayPass(loaded(with(NO_CLUSTER)))).isFalse();
    }

    private static boolean mayPass(NvmlFacts told) throws InterruptedException {
        return switch (ask(new FakeQuestions().onBus("3fff").nvml(told))) {
            case GateVerdict.Open _ -> throw new AssertionError("the gate is open");
            case GateVerdict.Closed closed -> closed.mayPass();
            case GateVerdict.Undetermined undetermined -> undetermined.mayPass();
        };
    }

    @Test
    void aHostThatCannotBeReadLeavesItOpen() throws InterruptedException {
        assertThat(ask(host.unreadable("denied")))
                .isInstanceOfSatisfying(
                        GateVerdict.Undetermined.class,
                        undetermined -> assertThat(undetermined.reason()).contains("denied"));
    }

    private static GateVerdict ask(FakeQuestions host) throws InterruptedException {
        return verdict(DEFAULTS, host);
    }

    private static GateVerdict verdict(ImexServiceSettings service, FakeQuestions host) throws InterruptedException {
        return new Gate(service, host).ask();
    }

    private static GateCause cause(ImexServiceSettings service, FakeQuestions host) throws InterruptedException {
        GateVerdict verdict = verdict(service, host);
        if (verdict instanceof GateVerdict.Closed closed) {
            return closed.cause();
        }
        throw new AssertionError("expected a closed gate, but it said " + verdict);
    }

    private static ImexServiceSettings service(List<String> vendors, boolean gate, String names, boolean allowFabric) {
        return new ImexServiceSettings(
                true, "nvidia-imex", vendors, gate, names, DEFAULTS.pciDevices(), allowFabric, DEFAULTS.keepTrying());
    }

    private static NvmlFacts loaded(Gpu... gpus) {
        return new NvmlFacts(
                new DriverState.LoadedDriver("580", "13"),
                Arrays.asList(gpus),
                new CliqueState.NoClique("none"),
                List.of());
    }

    private static Gpu gpuOutside(String name) {
        return new Gpu(0, name, "GPU-0", Optional.empty(), new Gpu.GpuFabric.NoFabric(), GpuHealth.UNTOLD);
    }

    private static Gpu with(Gpu.GpuFabric fabric) {
        return new Gpu(0, "NVIDIA Graphics Device", "GPU-0", Optional.empty(), fabric, GpuHealth.UNTOLD);
    }

    /** A GPU where {@link FakeQuestions#onBus} has it. */
    private static Gpu at(int index, Gpu.GpuFabric fabric) {
        return new Gpu(
                index,
                "NVIDIA Graphics Device",
                "GPU-" + index,
                Optional.of(new PciAddress(index, 6, 0, 0)),
                fabric,
                GpuHealth.UNTOLD);
    }

    private static Gpu card(int index) {
        return at(index, new Gpu.GpuFabric.NoFabric());
    }
}
