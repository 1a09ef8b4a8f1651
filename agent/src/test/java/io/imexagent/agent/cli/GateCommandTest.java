package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.cli.Collaborators.GateSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.gate.GateVerdict.Cause;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GateCommandTest {

    private final CliFixture cli = new CliFixture();

    @Test
    void endsWithZeroWhereItShouldRun() {
        cli.gate(new FixedGate(new GateVerdict.Open("GPU NVIDIA GB200 takes IMEX")));

        assertThat(cli.execute("gate").number()).isZero();
        assertThat(cli.out()).isEqualTo("nvidia-imex should run here: GPU NVIDIA GB200 takes IMEX\n");
    }

    @ParameterizedTest
    @CsvSource({"SWITCHED_OFF, 10", "VENDOR, 11", "NO_GPU, 12", "NOT_CAPABLE, 13", "NO_DRIVER, 14"})
    void everyCauseHasACodeThatTheDropInTakesForANo(Cause cause, int code) {
        cli.gate(new FixedGate(new GateVerdict.Closed(cause, "why")));

        assertThat(cli.execute("gate").number()).isEqualTo(code).isBetween(10, 19);
        assertThat(cli.out()).isEqualTo("nvidia-imex should not run here: why\n");
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void theCausesHaveCodesOfTheirOwn() {
        assertThat(Arrays.stream(ExitCode.values())
                        .filter(code -> code.name().startsWith("GATE_"))
                        .map(ExitCode::number))
                .containsExactlyInAnyOrder(10, 11, 12, 13, 14, 255);
        assertThat(Arrays.stream(ExitCode.values())
                        .filter(code -> !code.name().startsWith("GATE_"))
                        .map(ExitCode::number))
                .noneMatch(code -> code >= 10 && code < 20);
    }

    @Test
    void endsWith255WhereItCouldNotBeFoundOut() {
        cli.gate(new FixedGate(new GateVerdict.Undetermined("NVML hangs")));

        assertThat(cli.execute("gate").number()).isEqualTo(255);
        assertThat(cli.out()).isEmpty();
        assertThat(cli.err()).contains("could not be found out: NVML hangs");
    }

    @Test
    void aFaultyConfigurationLeavesItOpen() {
        cli.gate(new FixedGate(new GateVerdict.Open("yes")));

        assertThat(cli.execute("gate", "--set", "http.port=x").number()).isEqualTo(255);
        assertThat(cli.err()).contains("http.port");
    }

    @ParameterizedTest
    @CsvSource({
        "IMEX_AGENT_HTTP_PORT, none",
        "IMEX_AGENT_NODE_NAME, not a node's name",
        "IMEX_AGENT_LOG_LEVEL, loud",
        "IMEX_AGENT_HTTP_PRT, 1"
    })
    void aFaultThatTheGateDoesNotGoByIsToldAndDecidesNothing(String variable, String value) {
        cli.gate(new FixedGate(new GateVerdict.Open("GPU NVIDIA GB200 takes IMEX")))
                .environment(variable, value);

        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).isEqualTo("nvidia-imex should run here: GPU NVIDIA GB200 takes IMEX\n");
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
        cli.gate(new FixedGate(new GateVerdict.Open("yes"))).environment(variable, value);

        assertThat(cli.execute("gate", "--unit")).isEqualTo(ExitCode.GATE_UNDETERMINED);
        assertThat(cli.err()).contains(variable);
    }

    @Test
    void aDefectLeavesItOpen() {
        cli.gate(new GateSource() {
            @Override
            public GateVerdict ask(AgentConfig config) {
                throw new IllegalStateException("oops");
            }

            @Override
            public Optional<String> leaveWord(AgentConfig config, GateVerdict verdict) {
                return Optional.empty();
            }
        });

        assertThat(cli.execute("gate").number()).isEqualTo(255);
        assertThat(cli.err()).contains("oops");
    }

    @Test
    void aGateThatIsSwitchedOffHoldsTheUnitNotBack() {
        cli.gate(new FixedGate(new GateVerdict.Closed(Cause.SWITCHED_OFF, "switched off")));

        assertThat(cli.execute("gate", "--unit").number()).isZero();
        assertThat(cli.out()).isEqualTo("nvidia-imex may start: switched off\n");
    }

    @Test
    void leavesWordOfAStartAndNotOfAQuestion() {
        var closed = new GateVerdict.Closed(Cause.NO_DRIVER, "no driver");
        var gate = new FixedGate(closed);
        cli.gate(gate);

        cli.execute("gate");
        assertThat(gate.words()).isEmpty();

        assertThat(cli.execute("gate", "--unit").number()).isEqualTo(14);
        assertThat(gate.words()).containsExactly(closed);
    }

    @Test
    void theLongWayDoesTheSame() throws Exception {
        var gate = new FixedGate(new GateVerdict.Closed(Cause.NO_GPU, "no GPU"));
        cli.gate(gate);

        assertThat(cli.dispatch("gate", "--unit")).isEqualTo(ExitCode.GATE_NO_GPU);
        assertThat(cli.dispatch("gate")).isEqualTo(ExitCode.GATE_NO_GPU);
        assertThat(gate.words()).hasSize(1);
    }
}
