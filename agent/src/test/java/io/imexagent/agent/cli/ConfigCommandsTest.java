package io.imexagent.agent.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.imexagent.agent.config.ConfigKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigCommandsTest {

    @TempDir
    Path folder;

    private final CliFixture cli = new CliFixture();

    @Test
    void showTellsEveryValueAndWhereItCameFrom() throws IOException {
        String file = Files.writeString(folder.resolve("c.yaml"), "log:\n  level: warn\n")
                .toString();
        cli.environment("IMEX_AGENT_HTTP_PORT", "0");

        assertThat(cli.execute("config", "show", "--config", file, "--node-name", "node-1"))
                .isEqualTo(ExitCode.OK);

        assertThat(cli.out().lines()).hasSize(ConfigKeys.ALL.size() + 1);
        assertThat(cli.out())
                .startsWith("KEY ")
                .containsPattern("node\\.name +node-1 +flag --node-name")
                .containsPattern("http\\.port +0 +environment IMEX_AGENT_HTTP_PORT")
                .containsPattern("log\\.level +warn +" + file + ":2")
                .containsPattern("imex\\.isolation +\\(not set\\) +default");
    }

    @Test
    void showTellsTheSameInJson() throws IOException {
        cli.execute("config", "show", "-o", "json", "--http-port", "12");

        JsonNode document = new ObjectMapper().readTree(cli.out()).get("values");
        assertThat(document).hasSize(ConfigKeys.ALL.size());
        assertThat(document).contains(new ObjectMapper().readTree("""
                        {"key": "http.port", "value": "12", "origin": "flag --http-port"}""")).contains(new ObjectMapper().readTree("""
                        {"key": "imex.isolation", "origin": "default"}"""));
    }

    @Test
    void whatShowPrintsAsYamlIsAConfigurationFile() throws IOException {
        cli.execute("config", "show", "-o", "yaml", "--http-port", "12", "--node-name", "node-1");
        String file = Files.writeString(folder.resolve("again.yaml"), cli.out()).toString();

        assertThat(cli.execute("config", "show", "--config", file)).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).containsPattern("http\\.port +12 +" + file);
    }

    @Test
    void validateTellsThatAllIsWellAndWhatToKnow() throws IOException {
        String file = Files.writeString(
                        folder.resolve("c.yaml"), "featureGates: {HostManagedIMEX: true}\nimex: {isolation: None}\n")
                .toString();

        assertThat(cli.execute("config", "validate", "--config", file)).isEqualTo(ExitCode.OK);
        assertThat(cli.out())
                .contains("note: HostManagedIMEX is enabled; forcing IMEXDaemonsWithDNSNames=false\n")
                .endsWith("the configuration is valid: " + file + "\n");
        assertThat(cli.execute("config", "validate")).isEqualTo(ExitCode.OK);
        assertThat(cli.out()).endsWith("the configuration is valid; there is no file\n");
    }

    @Test
    void validateTellsAllFaults() throws IOException {
        String file = Files.writeString(folder.resolve("c.yaml"), "htpp: {}\nlog: {level: loud}\n")
                .toString();

        assertThat(cli.execute("config", "validate", "--config", file)).isEqualTo(ExitCode.CONFIGURATION);
        assertThat(cli.err())
                .isEqualTo("imex-agent: the configuration has 2 faults:\n  " + file
                        + ":1: htpp: unknown key; the nearest is http\n  " + file
                        + ":2: log.level: \"loud\" is not one of error, warn, info, debug\n");
    }
}
