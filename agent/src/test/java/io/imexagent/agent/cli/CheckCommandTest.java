package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.Severity;
import io.imexagent.core.text.Screen;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckCommandTest {

    private static final CheckResult OK =
            new CheckResult("driver", Severity.OK, "The driver is loaded.", Optional.empty());
    private static final CheckResult WARNING =
            new CheckResult("channel-node", Severity.WARNING, "The node has another major.", Optional.of("Remove it."));
    private static final CheckResult CRITICAL =
            new CheckResult("channel-major", Severity.CRITICAL, "No major.", Optional.of("Load the module."));

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();

    @Test
    void theExitCodeIsThatOfTheWorstCheck() {
        assertThat(CheckOutput.exitCode(List.of(OK))).isEqualTo(ExitCode.OK);
        assertThat(CheckOutput.exitCode(List.of(OK, WARNING))).isEqualTo(ExitCode.WARNINGS);
        assertThat(CheckOutput.exitCode(List.of(CRITICAL, WARNING, OK))).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void printsEveryCheckWithItsRemedy() {
        assertThat(CheckOutput.table(List.of(OK, WARNING, CRITICAL), Screen.NONE))
                .isEqualTo("""
                    SEVERITY  CHECK          MESSAGE
                    ok        driver         The driver is loaded.
                    warning   channel-node   The node has another major.
                                             remedy: Remove it.
                    critical  channel-major  No major.
                                             remedy: Load the module.

                    1 ok, 0 info, 1 warning, 1 critical
                    """);
    }

    @Test
    void theWorstComeFirst() {
        var second = new CheckResult("gpus", Severity.CRITICAL, "No GPU.", Optional.of("Look."));

        assertThat(CheckOutput.worstFirst(List.of(OK, WARNING, CRITICAL, second, OK)))
                .containsExactly(CRITICAL, second, WARNING, OK, OK);
    }

    @Test
    void noWarningComesBeforeAFailureWhateverMendsThem() {
        var first = CheckResult.critical("a", "A.", "One.");
        var second = CheckResult.critical("b", "B.", "Two.");
        var third = CheckResult.critical("c", "C.", "Three.");
        var late = CheckResult.warning("d", "D.", "Three.");
        var mild = CheckResult.warning("e", "E.", "One.");

        assertThat(CheckOutput.worstFirst(List.of(first, second, WARNING, mild)))
                .containsExactly(second, first, mild, WARNING);
        assertThat(CheckOutput.table(
                        CheckOutput.worstFirst(List.of(first, late, second, mild, third, OK)), Screen.NONE))
                .isEqualTo("""
                    SEVERITY  CHECK   MESSAGE
                    critical  b       B.
                                      remedy: Two.
                    critical  a       A.
                    critical  c       C.
                    warning   d       D.
                                      remedy: Three.
                    warning   e       E.
                                      remedy: One.
                    ok        driver  The driver is loaded.

                    1 ok, 0 info, 2 warning, 3 critical
                    """);
    }

    @Test
    void aRemedyStandsOnceBelowAllThatItMends() {
        var also = new CheckResult("channel-count", Severity.CRITICAL, "None.", CRITICAL.remedy());
        var milder = new CheckResult("late", Severity.WARNING, "Late.", CRITICAL.remedy());

        assertThat(CheckOutput.table(CheckOutput.worstFirst(List.of(milder, CRITICAL, WARNING, also, OK)), Screen.NONE))
                .isEqualTo("""
                    SEVERITY  CHECK          MESSAGE
                    critical  channel-major  No major.
                    critical  channel-count  None.
                    warning   late           Late.
                                             remedy: Load the module.
                    warning   channel-node   The node has another major.
                                             remedy: Remove it.
                    ok        driver         The driver is loaded.

                    1 ok, 0 info, 2 warning, 2 critical
                    """);
    }

    @Test
    void printsJson() throws IOException {
        ArrayNode document = new ObjectMapper().createArrayNode();
        CheckOutput.write(List.of(OK, CRITICAL), document);

        assertThat(document).hasSize(2);
        assertThat(document.get(0)).isEqualTo(new ObjectMapper().readTree("""
            {"check": "driver", "severity": "ok", "message": "The driver is loaded."}\
            """));
        assertThat(document.get(1).get("remedy").asText()).isEqualTo("Load the module.");
    }

    @Test
    void checksTheHost() throws IOException {
        var host = FakeHost.create(folder);

        // The warning is of the driver, which is simulated.
        assertThat(cli.on(host).execute("check")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.out())
                .contains("IMEX domain UP 2/2", "NVML 13.580.95.05, simulated")
                .endsWith(" 1 warning, 0 critical\n");

        host.withoutChannelMajor();
        assertThat(cli.execute("check", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(new ObjectMapper().readTree(cli.out()).findValuesAsText("severity"))
                .contains("critical");
    }
}
