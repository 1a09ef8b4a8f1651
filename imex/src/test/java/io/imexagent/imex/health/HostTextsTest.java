package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostTextsTest {

    private static UnitState unit(String load, String active, String sub, String file, String result) {
        return UnitState.parse("Result=" + result + "\nSubState=" + sub + "\nActiveState=" + active + "\nLoadState="
                + load + "\nUnitFileState=" + file + "\n");
    }

    @Test
    void theStatesOfTheUnitAreKeptApart() {
        assertThat(unit("not-found", "inactive", "dead", "", "success"))
                .isEqualTo(new UnitState(UnitState.State.NOT_FOUND));
        assertThat(unit("masked", "inactive", "dead", "masked", "success"))
                .isEqualTo(new UnitState(UnitState.State.MASKED));
        assertThat(unit("loaded", "inactive", "dead", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.State.INACTIVE, "enabled"));
        assertThat(unit("loaded", "inactive", "dead", "enabled", "exec-condition"))
                .isEqualTo(new UnitState(UnitState.State.SKIPPED, "enabled"));
        assertThat(unit("loaded", "failed", "failed", "enabled", "exit-code"))
                .isEqualTo(new UnitState(UnitState.State.FAILED, "exit-code"));
        assertThat(unit("loaded", "failed", "failed", "disabled", "exit-code"))
                .isEqualTo(new UnitState(UnitState.State.FAILED_DISABLED, "exit-code"));
        assertThat(unit("loaded", "activating", "start", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.State.ACTIVATING, "start"));
        assertThat(unit("loaded", "deactivating", "stop-sigterm", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.State.DEACTIVATING));
        assertThat(unit("loaded", "active", "running", "enabled", "success"))
                .isEqualTo(new UnitState(UnitState.State.ACTIVE));
    }

    @Test
    void aUnitWhoseConditionDidNotHoldWasSkippedAndOneThatWasNeverStartedWasNot() {
        String inactive =
                "LoadState=loaded\nActiveState=inactive\nSubState=dead\nUnitFileState=enabled\nResult=success\n";

        assertThat(UnitState.parse(inactive + "ConditionResult=no\nConditionTimestampMonotonic=7123456\n"))
                .isEqualTo(new UnitState(UnitState.State.SKIPPED, "enabled"));
        assertThat(UnitState.parse(inactive + "ConditionResult=yes\nConditionTimestampMonotonic=7123456\n"))
                .isEqualTo(new UnitState(UnitState.State.INACTIVE, "enabled"));
        assertThat(UnitState.parse(inactive + "ConditionResult=no\nConditionTimestampMonotonic=0\n"))
                .isEqualTo(new UnitState(UnitState.State.INACTIVE, "enabled"));
    }

    @Test
    void aUnitThatFailedBeforeItWasMaskedIsMasked() {
        assertThat(unit("masked", "failed", "failed", "masked", "exit-code"))
                .isEqualTo(new UnitState(UnitState.State.MASKED));
        assertThat(unit("not-found", "failed", "failed", "", "exit-code"))
                .isEqualTo(new UnitState(UnitState.State.FAILED, "exit-code"));
    }

    @Test
    void aUnitThatWasMaskedWhileItRanRuns() {
        assertThat(unit("masked", "active", "running", "masked", "success"))
                .isEqualTo(new UnitState(UnitState.State.ACTIVE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "garbage", "ActiveState=", "ActiveState=inactive", "ActiveState=dancing\nLoadState=loaded"})
    void whatSystemdDoesNotTellIsUnknown(String output) {
        assertThat(UnitState.parse(output).state()).isEqualTo(UnitState.State.UNKNOWN);
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

        assertThat(configuration.commandService()).isFalse();
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
}
