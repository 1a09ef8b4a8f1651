package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.gate.GateVerdict.GateCause;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateCommandTest {

    private static final String OPEN =
            "nvidia-imex should run here: GPU 10de:2941 at 0008:06:00.0 supports IMEX, its driver is up\n";
    private static final String NO_GPU = "no GPU: there is no NVIDIA GPU on the PCI bus";

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();
    private FakeHost host;
    private Path mark;

    @BeforeEach
    void layOut() throws IOException {
        host = FakeHost.create(folder);
        mark = host.root().resolve("run/imex-agent/gate-skipped");
        cli.on(host.root());
    }

    @Test
    void endsWithZeroWhereItShouldRun() {
        assertThat(cli.execute("gate").number()).isZero();
        assertThat(cli.out()).isEqualTo(OPEN);
    }

    @ParameterizedTest
    @CsvSource({
        "SWITCHED_OFF, 10",
        "VENDOR, 11",
        "NO_GPU, 12",
        "NOT_CAPABLE, 13",
        "NO_DRIVER, 14",
        "FABRIC_NOT_READY, 15"
    })
    void everyCauseHasACodeThatTheDropInTakesForANo(GateCause cause, int code) {
        assertThat(GateCommand.end(new GateVerdict.Closed(cause, "why"), false, cli.environment())
                        .number())
                .isEqualTo(code)
                .isBetween(10, 19);
        assertThat(cli.out()).isEqualTo("nvidia-imex should not run here: why\n");
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void theCausesHaveCodesOfTheirOwn() {
        assertThat(Arrays.stream(ExitCode.values())
                        .filter(code -> code.name().startsWith("GATE_"))
                        .map(ExitCode::number))
                .containsExactlyInAnyOrder(10, 11, 12, 13, 14, 15, 255);
        assertThat(Arrays.stream(ExitCode.values())
                        .filter(code -> !code.name().startsWith("GATE_"))
                        .map(ExitCode::number))
                .noneMatch(code -> code >= 10 && code < 20);
    }

    @Test
    void endsWith255WhereItCouldNotBeFoundOut() {
        GateVerdict hangs = new GateVerdict.Undetermined("NVML hangs");

        assertThat(GateCommand.end(hangs, false, cli.environment()).number()).isEqualTo(255);
        assertThat(cli.out()).isEmpty();
        assertThat(cli.err()).contains("cannot tell whether nvidia-imex should run here: NVML hangs");
    }

    @Test
    void aFaultyConfigurationLeavesItOpen() {
        cli.environment("IMEX_AGENT_NVML_SIMULATE", "no-such-tray");

        assertThat(cli.execute("gate").number()).isEqualTo(255);
        assertThat(cli.err()).contains("no-such-tray");
    }

    @ParameterizedTest
    @CsvSource({
        "IMEX_AGENT_HTTP_PORT, none",
        "IMEX_AGENT_NODE_NAME, not a node's name",
        "IMEX_AGENT_LOG_LEVEL, loud",
        "IMEX_AGENT_HTTP_PRT, 1"
    })
    void aFaultThatTheGateDoesNotGoByIsToldAndDecidesNothing(String variable, String value) {
        cli.environment(variable, value);

        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(OPEN);
        assertThat(cli.err()).contains("a fault of the configuration that the gate does not go by", variable);
    }

    @ParameterizedTest
    @CsvSource({
        "IMEX_AGENT_IMEX_SERVICE_GPU_NAMES, (",
        "IMEX_AGENT_IMEX_SERVICE_GATE, perhaps",
        "IMEX_AGENT_IMEX_SERVICE_GAT, true",
        "IMEX_AGENT_HOST_ROOT, host",
        "IMEX_AGENT_NVML_SIMULATE, gb100"
    })
    void aFaultInWhatTheGateGoesByLeavesItOpen(String variable, String value) {
        cli.environment(variable, value);

        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_UNDETERMINED);
        assertThat(cli.err()).contains(variable);
    }

    @Test
    void aDefectLeavesItOpen() {
        assertThat(cli.broken().execute("gate").number()).isEqualTo(255);
        assertThat(cli.err()).contains("the gate is broken", "oops");
    }

    @Test
    void aGateThatIsSwitchedOffHoldsTheUnitNotBack() {
        assertThat(cli.execute("gate", "--unit", "--set", "imex.service.gate=false")
                        .number())
                .isZero();
        assertThat(cli.out()).startsWith("nvidia-imex may start: switched off");
        assertThat(cli.execute("gate", "--set", "imex.service.gate=false").number())
                .isEqualTo(10);
    }

    @Test
    void leavesWordOfAStartAndNotOfAQuestion() throws IOException {
        host.withoutPciGpus();

        assertThat(cli.execute("gate").number()).isEqualTo(12);
        assertThat(mark).doesNotExist();

        assertThat(cli.execute("gate", "--unit").number()).isEqualTo(12);
        assertThat(mark).hasContent(NO_GPU);
    }

    @Test
    void aDriverThatFailsSkipsTheStartWhileItIsTried() throws IOException {
        host.withoutPciGpus();
        host.pciGpu(0, "2b85");
        Files.createDirectories(host.root().resolve("proc/driver/nvidia"));
        Files.writeString(host.root().resolve("proc/driver/nvidia/version"), "NVRM version: 580");
        cli.environment("IMEX_AGENT_HOST_DRIVER_ROOT", host.root() + "/none");
        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_UNDETERMINED);

        Files.createDirectories(host.root().resolve("run/imex-agent"));
        Files.writeString(host.root().resolve("run/imex-agent/driver-late"), "999999999999\n");

        assertThat(cli.execute("gate")).isEqualTo(ExitCode.GATE_UNDETERMINED);
        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_NO_DRIVER);
        assertThat(mark).content().startsWith("no driver that answers yet: NVML does not say what 10de:2b85 is");
        assertThat(host.root().resolve("run/imex-agent/driver-late")).exists();
    }

    @Test
    void aWordThatCannotBeLeftIsToldAndChangesNoVerdict() throws IOException {
        host.withoutPciGpus();
        Files.writeString(host.root().resolve("run"), "a file where a folder must be");

        assertThat(cli.execute("gate", "--unit").number()).isEqualTo(12);
        assertThat(cli.err()).startsWith("imex-agent: could not leave a note for the agent");
    }

    @Test
    void aSimulatedNvmlStartsNothingAndIsToldToAPerson() throws Exception {
        host.withoutPciGpus();
        host.pciGpu(0, "2b85");
        cli.environment("IMEX_AGENT_NVML_SIMULATE", "gb200");

        assertThat(cli.execute("gate")).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .startsWith("nvidia-imex should run here: GPU NVIDIA GB200")
                .endsWith(" supports IMEX (simulated: nvml.simulate is set)\n");
        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_UNDETERMINED);
        assertThat(cli.err()).contains("NVML is simulated", "remove nvml.simulate");
        assertThat(mark).doesNotExist();
    }

    @Test
    void aSimulatedNvmlSkipsNoStartEither() throws Exception {
        host.withoutPciGpus();
        host.pciGpu(0, "2b85");
        cli.environment("IMEX_AGENT_NVML_SIMULATE", "no-fabric");

        assertThat(cli.execute("gate")).isEqualTo(ExitCode.GATE_NOT_CAPABLE);
        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_UNDETERMINED);
        assertThat(mark).doesNotExist();
    }

    @Test
    void whatTheBusAndTheKernelDecideIsNoSimulation() {
        cli.environment("IMEX_AGENT_NVML_SIMULATE", "no-gpu");

        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo(OPEN);
    }
}
