package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostTextsTest {

    private static UnitState unit(String load, String active, String sub, String file, String result) {
        return UnitState.parse("Result=" + result + "\nSubState=" + sub + "\nActiveState=" + active + "\nLoadState="
                + load + "\nUnitFileState=" + file + "\n");
    }

    @Test
    void theStatesOfTheUnitAreKeptApart() {
        assertThat(unit("not-found", "inactive", "dead", "", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.NOT_FOUND));
        assertThat(unit("masked", "inactive", "dead", "masked", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.MASKED));
        assertThat(unit("loaded", "inactive", "dead", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.INACTIVE, "enabled"));
        assertThat(unit("loaded", "inactive", "dead", "enabled", "exec-condition"))
                .isEqualTo(new UnitState(UnitState.ActiveState.SKIPPED, "enabled"));
        assertThat(unit("loaded", "failed", "failed", "enabled", "exit-code"))
                .isEqualTo(new UnitState(UnitState.ActiveState.FAILED, "exit-code"));
        assertThat(unit("loaded", "failed", "failed", "disabled", "exit-code"))
                .isEqualTo(new UnitState(UnitState.ActiveState.FAILED_DISABLED, "exit-code"));
        assertThat(unit("loaded", "activating", "start", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.ACTIVATING, "start"));
        assertThat(unit("loaded", "deactivating", "stop-sigterm", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.DEACTIVATING));
        assertThat(unit("loaded", "active", "running", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.ACTIVE));
    }

    @Test
    void aUnitWhoseConditionDidNotHoldWasSkippedAndOneThatWasNeverStartedWasNot() {
        String inactive =
                "LoadState=loaded\nActiveState=inactive\nSubState=dead\nUnitFileState=enabled\nResult=success\n";

        assertThat(UnitState.parse(inactive + "ConditionResult=no\nConditionTimestampMonotonic=7123456\n"))
                .isEqualTo(new UnitState(UnitState.ActiveState.SKIPPED, "enabled"));
        assertThat(UnitState.parse(inactive + "ConditionResult=yes\nConditionTimestampMonotonic=7123456\n"))
                .isEqualTo(new UnitState(UnitState.ActiveState.INACTIVE, "enabled"));
        assertThat(UnitState.parse(inactive + "ConditionResult=no\nConditionTimestampMonotonic=0\n"))
                .isEqualTo(new UnitState(UnitState.ActiveState.INACTIVE, "enabled"));
    }

    @Test
    void aUnitThatFailedBeforeItWasMaskedIsMasked() {
        assertThat(unit("masked", "failed", "failed", "masked", "exit-code"))
                .isEqualTo(new UnitState(UnitState.ActiveState.MASKED));
    }

    @Test
    void aUnitThatWasMaskedWhileItRanRuns() {
        assertThat(unit("masked", "active", "running", "masked", "success"))
                .isEqualTo(new UnitState(UnitState.ActiveState.ACTIVE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "garbage", "ActiveState=", "ActiveState=inactive", "ActiveState=dancing\nLoadState=loaded"})
    void whatSystemdDoesNotTellIsUnknown(String output) {
        assertThat(UnitState.parse(output).state()).isEqualTo(UnitState.ActiveState.UNKNOWN);
    }

    @Test
    void readsConfigurationAndKeepsWhatItDoesNotUnderstand() {
        ImexConfiguration configuration = ImexConfiguration.parse("""
                # comment
                IMEX_CMD_ENABLED=0
                IMEX_NODE_CONFIG_FILE = /srv/nodes.cfg
                SERVER_PORT=50000
                nonsense
                """);

        assertThat(configuration.commandService().enabled()).isFalse();
        assertThat(configuration.nodesFile()).isEqualTo("/srv/nodes.cfg");
        assertThat(configuration.faults()).containsExactly("line 5 is no KEY=value");
        assertThat(ImexConfiguration.parse("IMEX_CMD_ENABLED=yes").faults())
                .containsExactly("IMEX_CMD_ENABLED is \"yes\", and 0 or 1 is expected");
        assertThat(ImexConfiguration.parse("")).isEqualTo(ImexConfiguration.DEFAULTS);
    }

    @Test
    void readsTheNodesInTheirOrder() {
        assertThat(ImexConfiguration.nodes("# rack 7\n10.0.0.1\n\n 10.0.0.2 \n10.0.0.1\n"))
                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    IMEX_CMD_ENABLED=1                                          | -c /c.cfg
                    IMEX_CMD_PORT=50005                                         | -c /c.cfg
                    IMEX_CMD_PORT=;IMEX_CMD_UNIX_DOMAIN_PATH=/run/i.sock        | -u /run/i.sock
                    IMEX_CMD_PORT=50005;IMEX_CMD_UNIX_DOMAIN_PATH=/run/i.sock   | -c /c.cfg, -u /run/i.sock
                    IMEX_CMD_UNIX_DOMAIN_PATH=/run/i.sock                       | -c /c.cfg, -u /run/i.sock
                    IMEX_CMD_PORT=;IMEX_CMD_UNIX_DOMAIN_PATH=run/i.sock         | -u /run/i.sock
                    IMEX_CMD_PORT=                                              | -c /c.cfg
                    IMEX_CMD_ENABLED=0;IMEX_CMD_PORT=50005                      | -c /c.cfg
                    """)
    void theWaysToAskAreThoseOfTheConfiguration(String lines, String ways) {
        ImexConfiguration configuration = ImexConfiguration.parse(lines.replace(';', '\n'));

        assertThat(configuration.commandService().ways(Path.of("/c.cfg"), Optional.empty()).stream()
                        .map(way -> way.option() + " " + way.path()))
                .containsExactly(ways.split(", ", -1));
    }

    @Test
    void aSocketOfTheAgentsConfigurationIsAskedLastAndOnce() {
        CommandService tcp = ImexConfiguration.parse("IMEX_CMD_PORT=50005").commandService();
        CommandService socket = ImexConfiguration.parse("IMEX_CMD_PORT=\nIMEX_CMD_UNIX_DOMAIN_PATH=/run/i.sock")
                .commandService();

        assertThat(tcp.ways(Path.of("/c.cfg"), Optional.of(Path.of("/run/i.sock"))))
                .extracting(way -> way.path().toString())
                .containsExactly("/c.cfg", "/run/i.sock");
        assertThat(socket.ways(Path.of("/c.cfg"), Optional.of(Path.of("/run/i.sock"))))
                .hasSize(1);
    }

    @Test
    void aCommandServiceThatAnswersNobodySaysWhichKeyItIs() {
        assertThat(silence("IMEX_CMD_ENABLED=0\nIMEX_CMD_PORT=50005")).contains("IMEX_CMD_ENABLED is 0");
        assertThat(silence("IMEX_CMD_PORT=\nIMEX_CMD_UNIX_DOMAIN_PATH=\n"))
                .contains("IMEX_CMD_PORT and IMEX_CMD_UNIX_DOMAIN_PATH are both empty");
        assertThat(silence("IMEX_CMD_PORT=\nIMEX_CMD_UNIX_DOMAIN_PATH=/run/i.sock\n"))
                .isEmpty();
        assertThat(silence("")).isEmpty();
    }

    private static Optional<String> silence(String text) {
        return ImexConfiguration.parse(text).commandService().silence().map(CommandService.Silence::reason);
    }

    @ParameterizedTest
    @CsvSource({
        "IMEX_CMD_PORT=0,a port from 1 to 65535",
        "IMEX_CMD_PORT=70000,a port from 1 to 65535",
        "IMEX_CMD_PORT=imex,a port from 1 to 65535",
        "IMEX_CMD_UNIX_DOMAIN_PATH=imex.sock,an absolute path",
        "IMEX_NODE_CONFIG_FILE=nodes.cfg,an absolute path",
    })
    void aValueThatDoesNotFitItsKeyIsAFault(String line, String expected) {
        assertThat(ImexConfiguration.parse(line).faults())
                .singleElement()
                .asString()
                .contains(expected);
    }

    @Test
    void aSocketWhosePathIsTooLongIsAFault() {
        String path = "/" + "s".repeat(107);

        assertThat(ImexConfiguration.parse("IMEX_CMD_UNIX_DOMAIN_PATH=" + path).faults())
                .singleElement()
                .asString()
                .contains("longer than 107 bytes");
        assertThat(ImexConfiguration.parse(
                        "IMEX_CMD_UNIX_DOMAIN_PATH=" + path.substring(1).replaceFirst("s", "/")))
                .extracting(ImexConfiguration::faults)
                .isEqualTo(List.of());
    }
}
