package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.imex.watch.Healths;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class HealthCommandTest {

    private final CliFixture cli = new CliFixture();

    @Test
    void theExitCodeTellsTheVerdict() {
        assertThat(cli.health(Healths.up()).execute("health").number()).isZero();
        assertThat(cli.health(Healths.degraded()).execute("health").number()).isEqualTo(1);
        assertThat(cli.health(Healths.unknown()).execute("health").number()).isEqualTo(1);
        assertThat(cli.health(Healths.down()).execute("health").number()).isEqualTo(2);
        assertThat(cli.health(Healths.masked()).execute("health").number()).isEqualTo(2);
        assertThat(cli.health(Healths.daemon("NOT_READY")).execute("health").number())
                .isEqualTo(2);
        assertThat(cli.health(Healths.notApplicable()).execute("health").number())
                .isEqualTo(3);
    }

    @Test
    void whatIsNoVerdictHasACodeOfItsOwn() {
        cli.health(Healths.up());

        assertThat(cli.execute("health", "--bogus").number()).isEqualTo(64);
        assertThat(cli.execute("health", "-o", "xml").number()).isEqualTo(64);
        assertThat(cli.execute("--bogus", "health").number()).isEqualTo(64);
        assertThat(cli.execute("--config", "/x", "health", "--bogus").number()).isEqualTo(64);
        assertThat(cli.execute("claims", "health").number()).isEqualTo(2);
        assertThat(cli.execute("health", "--set", "http.port=x").number()).isEqualTo(78);
        assertThat(new CliFixture().execute("health").number()).isEqualTo(70);
        // Other commands keep theirs.
        assertThat(cli.execute("probe", "--bogus").number()).isEqualTo(2);
        assertThat(cli.execute("config", "health").number()).isEqualTo(2);
    }

    @Test
    void printsTheVerdictAndTheMatrix() {
        cli.health(Healths.mismatched()).execute("health");

        assertThat(cli.out()).isEqualTo("""
            verdict    IMEX domain DEGRADED 3/3, version mismatch
            cause      version mismatch between n0 and n2, n1 and n2, n2 and n0, n2 and n1
            next step  bring nvidia-imex and the driver of all nodes to one version, then restart nvidia-imex there
            daemon     ready
            domain     degraded

            NODE  ADDRESS   NAME  STATE  VERSION
            0*    10.0.0.1  n0    READY  580.95.05
            1     10.0.0.2  n1    READY  580.95.05
            2     10.0.0.3  n2    READY  580.95.05

            FROM\\TO  0    1    2
            0        C    C    !V!
            1        C    C    !V!
            2        !V!  !V!  C
            """);
    }

    @Test
    void printsNoMatrixWhereNobodyTellsOne() {
        cli.health(Healths.masked()).execute("health");

        assertThat(cli.out())
                .contains("verdict    nvidia-imex masked", "daemon     masked")
                .doesNotContain("FROM");
    }

    @Test
    void printsJson() throws IOException {
        cli.health(Healths.degraded()).execute("health", "-o", "json");

        JsonNode document = new ObjectMapper().readTree(cli.out());
        assertThat(document.at("/verdict/level").asText()).isEqualTo("degraded");
        assertThat(document.at("/verdict/code").asText()).isEqualTo("degraded");
        assertThat(document.at("/daemon/state").asText()).isEqualTo("ready");
        assertThat(document.at("/domain/missing/0").asText()).isEqualTo("n2");
        assertThat(document.at("/nodes/0/connections/2").asText()).isEqualTo("NEVER_CONNECTED");
        assertThat(document.at("/nodes/0/local").asBoolean()).isTrue();
    }

    @Test
    void printsTheFaultsBetweenNamedNodesAsJson() throws IOException {
        cli.health(Healths.mismatched()).execute("health", "-o", "json");

        assertThat(new ObjectMapper().readTree(cli.out()).at("/faults/0"))
                .isEqualTo(
                        new ObjectMapper().readTree("{\"kind\":\"version_mismatch\",\"from\":\"n0\",\"to\":\"n2\"}"));
    }
}
