package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.check.CheckResult.Status;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CheckCommandTest {

    private static final CheckResult OK =
            new CheckResult("driver", Status.OK, "The driver is loaded.", Optional.empty());
    private static final CheckResult WARNING =
            new CheckResult("channel-node", Status.WARNING, "The node has another major.", Optional.of("Remove it."));
    private static final CheckResult FAILURE =
            new CheckResult("channel-major", Status.FAILURE, "No major.", Optional.of("Load the module."));

    private final CliFixture cli = new CliFixture();

    @Test
    void theExitCodeIsThatOfTheWorstCheck() {
        assertThat(cli.checks(OK).execute("check")).isEqualTo(ExitCode.OK);
        assertThat(cli.checks(OK, WARNING).execute("check")).isEqualTo(ExitCode.WARNINGS);
        assertThat(cli.checks(FAILURE, WARNING, OK).execute("check")).isEqualTo(ExitCode.FAILED);
    }

    @Test
    void printsEveryCheckWithItsRemedy() {
        cli.checks(OK, WARNING, FAILURE).execute("check");

        assertThat(cli.out()).isEqualTo("""
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
        cli.checks(OK, OK).execute("check");

        assertThat(cli.out()).endsWith("2 ok, 0 warnings, 0 failures\n");
    }

    @Test
    void printsJson() throws IOException {
        assertThat(cli.checks(OK, FAILURE).execute("check", "-o", "json")).isEqualTo(ExitCode.FAILED);

        JsonNode document = new ObjectMapper().readTree(cli.out());
        assertThat(document).hasSize(2);
        assertThat(document.get(0)).isEqualTo(new ObjectMapper().readTree("""
            {"check": "driver", "result": "ok", "message": "The driver is loaded."}\
            """));
        assertThat(document.get(1).get("remedy").asText()).isEqualTo("Load the module.");
    }
}
