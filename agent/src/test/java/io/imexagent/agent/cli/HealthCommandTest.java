package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.core.text.Screen;
import io.imexagent.imex.health.ImexDocument;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.watch.Healths;
import io.imexagent.testing.host.FakeHost;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthCommandTest {

    @TempDir
    private Path folder;

    private final CliFixture cli = new CliFixture();

    @Test
    void theExitCodeTellsTheVerdict() {
        assertThat(code(Healths.up())).isZero();
        assertThat(code(Healths.degraded())).isEqualTo(3);
        assertThat(code(Healths.unknown())).isEqualTo(3);
        assertThat(code(Healths.down())).isEqualTo(1);
        assertThat(code(Healths.masked())).isEqualTo(1);
        assertThat(code(Healths.daemon("NOT_READY"))).isEqualTo(1);
        assertThat(code(Healths.notApplicable())).isZero();
    }

    @Test
    void readsTheHostsNvidiaImex() throws IOException {
        var host = FakeHost.create(folder);
        cli.on(host);

        assertThat(cli.execute("health")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).contains("IMEX domain UP 2/2", "tray-1");

        host.imex().unit("masked", "inactive");
        assertThat(cli.execute(
                        "health", "-o", "json", "--feature-gates", "HostManagedIMEX=true", "--isolation", "None"))
                .isEqualTo(ExitCode.FAILED);
        assertThat(new ObjectMapper().readTree(cli.out()).at("/daemon/state").asText())
                .isEqualTo("masked");
    }

    @Test
    void theDocumentNamesWhatIsNotConnectedAndWhatCouldNotBeAsked() {
        JsonNode oneWay =
                ImexDocument.of(Healths.reported("one-way-domain.json")).path("domain");
        JsonNode unasked = ImexDocument.of(Healths.reported("peers-command-service-domain.json"))
                .path("domain");

        assertThat(oneWay)
                .hasToString(
                        "{\"state\":\"degraded\",\"reported\":\"UP\",\"missing\":[],\"silent\":[],\"notConnected\":["
                                + "{\"from\":\"tray-1\",\"to\":\"tray-2\",\"reported\":\"DISCONNECTED\"}]}");
        assertThat(unasked)
                .hasToString("{\"state\":\"up\",\"reported\":\"DEGRADED\",\"missing\":[],\"silent\":[\"192.0.2.1\","
                        + "\"192.0.2.2\",\"192.0.2.4\"],\"notConnected\":[]}");
    }

    @Test
    void printsTheVerdictAndTheMatrix() {
        assertThat(ImexDocument.text(Healths.mismatched(), Screen.NONE)).isEqualTo("""
            verdict    IMEX domain DEGRADED 3/3, version mismatch
            cause      version mismatch between n0 and n2, n1 and n2
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
        assertThat(ImexDocument.text(Healths.masked(), Screen.NONE))
                .contains("verdict    nvidia-imex masked", "daemon     masked")
                .doesNotContain("FROM");
    }

    @Test
    void printsJson() throws IOException {
        JsonNode document =
                new ObjectMapper().readTree(ImexDocument.of(Healths.degraded()).toString());
        assertThat(document.at("/verdict/level").asText()).isEqualTo("degraded");
        assertThat(document.at("/verdict/severity").asText()).isEqualTo("warning");
        assertThat(document.at("/verdict/code").asText()).isEqualTo("degraded");
        assertThat(document.at("/daemon/state").asText()).isEqualTo("ready");
        assertThat(document.at("/domain/missing/0").asText()).isEqualTo("n2");
        assertThat(document.at("/nodes/0/connections/2").asText()).isEqualTo("NEVER_CONNECTED");
        assertThat(document.at("/nodes/0/local").asBoolean()).isTrue();
    }

    @Test
    void printsTheFaultsBetweenNamedNodesAsJson() throws IOException {
        assertThat(ImexDocument.of(Healths.mismatched()).at("/faults/0"))
                .isEqualTo(
                        new ObjectMapper().readTree("{\"kind\":\"version_mismatch\",\"from\":\"n0\",\"to\":\"n2\"}"));
    }

    private static int code(ImexHealth health) {
        return ExitCode.of(health.verdict().severity()).number();
    }
}
