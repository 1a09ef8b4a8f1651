package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.CheckStatus;
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
            new CheckResult("driver", CheckStatus.OK, "The driver is loaded.", Optional.empty());
    private static final CheckResult WARNING = new CheckResult(
            "channel-node", CheckStatus.WARNING, "The node has another major.", Optional.of("Remove it."));
    private static final CheckResult FAILURE =
            new CheckResult("channel-major", CheckStatus.FAILURE, "No major.", Optional.of("Load the module."));

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();

    @Test
    void theExitCodeIsThatOfTheWorstCheck() {
        assertThat(CheckOutput.exitCode(List.of(OK))).isEqualTo(ExitCode.OK);
        assertThat(CheckOutput.exitCode(List.of(OK, WARNING))).isEqualTo(ExitCode.WARNINGS);
        assertThat(CheckOutput.exitCode(List.of(FAILURE, WARNING, OK))).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void printsEveryCheckWithItsRemedy() {
        assertThat(CheckOutput.table(List.of(OK, WARNING, FAILURE), Screen.NONE))
                .isEqualTo("""
                    RESULT   CHECK          MESSAGE
                    ok       driver         The driver is loaded.
                    warning  channel-node   The node has another major.
                                            remedy: Remove it.
                    failure  channel-major  No major.
                                            remedy: Load the module.

                    1 ok, 1 warning, 1 failure
                    """);
    }

    @Test
    void theWorstComeFirst() {
        var second = new CheckResult("gpus", CheckStatus.FAILURE, "No GPU.", Optional.of("Look."));

        assertThat(CheckOutput.worstFirst(List.of(OK, WARNING, FAILURE, second, OK)))
                .containsExactly(FAILURE, second, WARNING, OK, OK);
    }

    @Test
    void noWarningComesBeforeAFailureWhateverMendsThem() {
        var first = CheckResult.failure("a", "A.", "One.");
        var second = CheckResult.failure("b", "B.", "Two.");
        var third = CheckResult.failure("c", "C.", "Three.");
        var late = CheckResult.warning("d", "D.", "Three.");
        var mild = CheckResult.warning("e", "E.", "One.");

        assertThat(CheckOutput.worstFirst(List.of(first, second, WARNING, mild)))
                .containsExactly(second, first, mild, WARNING);
        assertThat(CheckOutput.table(
                        CheckOutput.worstFirst(List.of(first, late, second, mild, third, OK)), Screen.NONE))
                .isEqualTo("""
                    RESULT   CHECK   MESSAGE
                    failure  b       B.
                                     remedy: Two.
                    failure  a       A.
                    failure  c       C.
                    warning  d       D.
                                     remedy: Three.
                    warning  e       E.
                                     remedy: One.
                    ok       driver  The driver is loaded.

                    1 ok, 2 warnings, 3 failures
                    """);
    }

    @Test
    void aRemedyStandsOnceBelowAllThatItMends() {
        var also = new CheckResult("channel-count", CheckStatus.FAILURE, "None.", FAILURE.remedy());
        var milder = new CheckResult("late", CheckStatus.WARNING, "Late.", FAILURE.remedy());

        assertThat(CheckOutput.table(CheckOutput.worstFirst(List.of(milder, FAILURE, WARNING, also, OK)), Screen.NONE))
                .isEqualTo("""
                    RESULT   CHECK          MESSAGE
                    failure  channel-major  No major.
                    failure  channel-count  None.
                    warning  late           Late.
                                            remedy: Load the module.
                    warning  channel-node   The node has another major.
                                            remedy: Remove it.
                    ok       driver         The driver is loaded.

                    1 ok, 2 warnings, 2 failures
                    """);
    }

    @Test
    void countsInThePluralToo() {
        assertThat(CheckOutput.table(List.of(OK, OK), Screen.NONE)).endsWith("2 ok, 0 warnings, 0 failures\n");
    }

    @Test
    void printsJson() throws IOException {
        JsonNode document = CheckOutput.document(List.of(OK, FAILURE));

        assertThat(document).hasSize(2);
        assertThat(document.get(0)).isEqualTo(new ObjectMapper().readTree("""
            {"check": "driver", "result": "ok", "message": "The driver is loaded."}\
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
                .endsWith(" 1 warning, 0 failures\n");

        host.withoutChannelMajor();
        assertThat(cli.execute("check", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(new ObjectMapper().readTree(cli.out()).findValuesAsText("result"))
                .contains("failure");
    }
}
