package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
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
            new CheckResult("driver", Status.OK, "The driver is loaded.", Optional.empty());
    private static final CheckResult WARNING =
            new CheckResult("channel-node", Status.WARNING, "The node has another major.", Optional.of("Remove it."));
    private static final CheckResult FAILURE =
            new CheckResult("channel-major", Status.FAILURE, "No major.", Optional.of("Load the module."));

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

        assertThat(cli.on(host).execute("check")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).contains("ok      serving", "IMEX domain UP 2/2").endsWith(" 0 warnings, 0 failures\n");

        host.withoutChannelMajor();
        assertThat(cli.execute("check", "-o", "json")).isEqualTo(ExitCode.FAILED);
        assertThat(new ObjectMapper().readTree(cli.out()).findValuesAsText("result"))
                .contains("failure");
    }
}
