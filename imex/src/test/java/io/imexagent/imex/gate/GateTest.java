package io.imexagent.imex.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.gate.Gate.GateVerdict;
import io.imexagent.imex.gate.Gate.GateVerdict.Cause;
import io.imexagent.imex.probe.NvmlProbe.NvmlFacts;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GateTest {

    private static final Duration LONG = Duration.ofDays(1);
    private static final ImexServiceSettings DEFAULTS = ServiceSettings.service();

    private final FakeQuestions host = new FakeQuestions();

    @ParameterizedTest
    @ValueSource(strings = {"2941", "31c2"})
    void opensForAListedPciDeviceWhoseDriverIsUpWithoutAskingNvml(String device) throws InterruptedException {
        assertThat(ask(host.onBus(device))).isInstanceOf(GateVerdict.Open.class);

        assertThat(host.asked()).containsExactly("vendor", "pci", "driver");
    }

    @Test
    void isSwitchedOffBeforeItAsksAnything() throws InterruptedException {
        var off = service(List.of(), false, DEFAULTS.gpuNames(), false);

        assertThat(cause(off, host.onBus("2941"))).isEqualTo(Cause.SWITCHED_OFF);
        assertThat(host.asked()).isEmpty();
    }

    @Test
    void asksForTheVendorBeforeTheGpu() throws InterruptedException {
        var azure = service(List.of("Microsoft Corporation"), true, DEFAULTS.gpuNames(), false);

        assertThat(cause(azure, host.vendor("Supermicro"))).isEqualTo(Cause.VENDOR);
        assertThat(host.asked()).containsExactly("vendor");
        assertThat(cause(azure, new FakeQuestions().vendor(""))).isEqualTo(Cause.VENDOR);
        assertThat(verdict(
                        azure,
                        new FakeQuestions().vendor("Microsoft Corporation").onBus("2941")))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void aHostWithoutGpuIsToldWithoutNvml() throws InterruptedException {
        assertThat(cause(DEFAULTS, host)).isEqualTo(Cause.NO_GPU);

        assertThat(host.asked()).doesNotContain("nvml", "driver");
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
        assertThat(host.elapsed()).isBetween(Gate.DRIVER_PATIENCE, Duration.ofMillis(8200));
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
        assertThat(((GateVerdict.Closed) verdict).cause()).isEqualTo(Cause.NOT_CAPABLE);
        assertThat(verdict.reason()).contains(name);
    }

    @Test
    void aFabricCountsOnlyWhereTheOperatorAllowsIt() throws InterruptedException {
        Gpu inFabric = Inventories.gpu("NVIDIA Graphics Device");
        var allowing = service(List.of(), true, DEFAULTS.gpuNames(), true);

        assertThat(cause(DEFAULTS, new FakeQuestions().onBus("2999").nvml(loaded(inFabric))))
                .isEqualTo(Cause.NOT_CAPABLE);
        assertThat(verdict(allowing, new FakeQuestions().onBus("2999").nvml(loaded(inFabric))))
                .isInstanceOf(GateVerdict.Open.class);
        assertThat(cause(
                        allowing,
                        new FakeQuestions()
                                .onBus("2999")
                                .nvml(loaded(with(new Gpu.Fabric.Registered(Optional.empty(), List.of()))))))
                .isEqualTo(Cause.NOT_CAPABLE);
        assertThat(cause(
                        allowing,
                        new FakeQuestions().onBus("2999").nvml(loaded(with(new Gpu.Fabric.Registering("started"))))))
                .isEqualTo(Cause.NOT_CAPABLE);
    }

    @Test
    void thePatternIsTheOperators() throws InterruptedException {
        var own = service(List.of(), true, "Graphics Device$", false);

        assertThat(verdict(own, host.onBus("2999").nvml(loaded(gpuOutside("NVIDIA Graphics Device")))))
                .isInstanceOf(GateVerdict.Open.class);
    }

    @Test
    void anUnlistedDeviceWithoutDriverIsNotWaitedFor() throws InterruptedException {
        assertThat(cause(DEFAULTS, host.onBus("2b85"))).isEqualTo(Cause.NO_DRIVER);
    }

    /** A driver of theirs that fails, or hangs as it is loaded, fails no unit. */
    @Test
    void aGpuThatIsKnownToHaveNoImexNeedsNoDriver() throws Exception {
        for (String device : List.of("2901", "3182", "2330", "2335")) {
            GateVerdict verdict = ask(new FakeQuestions().onBus(device).nvmlTakes(LONG));

            assertThat(verdict).isInstanceOfSatisfying(GateVerdict.Closed.class, closed -> {
                assertThat(closed.cause()).isEqualTo(Cause.NOT_CAPABLE);
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
        assertThat(cause(DEFAULTS, host.onBus("2b85").nvml(loaded()))).isEqualTo(Cause.NO_GPU);
    }

    @Test
    void aGpuThatDoesNotTellItsNameLeavesItOpen() throws InterruptedException {
        assertThat(ask(host.onBus("2b85").nvml(loaded(gpuOutside(""))))).isInstanceOf(GateVerdict.Undetermined.class);
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

    private static Cause cause(ImexServiceSettings service, FakeQuestions host) throws InterruptedException {
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
                new DriverState.Loaded("580", "13"), Arrays.asList(gpus), new CliqueState.None("none"), List.of());
    }

    private static Gpu gpuOutside(String name) {
        return new Gpu(0, name, "GPU-0", Optional.empty(), new Gpu.Fabric.NotSupported());
    }

    private static Gpu with(Gpu.Fabric fabric) {
        return new Gpu(0, "NVIDIA Graphics Device", "GPU-0", Optional.empty(), fabric);
    }
}
