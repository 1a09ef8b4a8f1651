package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.UnitState.ActiveState;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every value that systemd 252 to 258 gives, with the verdict on a daemon that does not answer. */
class UnitStateTest {

    private static ImexHealth judged(UnitState unit) {
        boolean asked = unit.state() == ActiveState.ACTIVE || unit.state() == ActiveState.ACTIVATING;
        QueryResult.Failure failure = asked ? QueryResult.Failure.UNREACHABLE : QueryResult.Failure.NOT_ASKED;
        return HealthPlanner.judge(Readings.of(
                Instant.EPOCH,
                Readings.node(new Applicability.Applicable(), true),
                true,
                unit,
                Optional.of(ImexConfiguration.DEFAULTS),
                Optional.of(List.of("10.0.0.1")),
                new QueryResult.QueryFailed<>(failure, "error code: 14"),
                new QueryResult.QueryFailed<>(failure, "error code: 14")));
    }

    private static Verdict verdict(String... properties) {
        return judged(UnitState.parse(String.join("\n", properties))).verdict();
    }

    private static Verdict verdict(String load, String active, String sub, String file, String result, int restarts) {
        return verdict(
                "LoadState=" + load,
                "ActiveState=" + active,
                "SubState=" + sub,
                "UnitFileState=" + file,
                "Result=" + result,
                "NRestarts=" + restarts);
    }

    @Test
    void aUnitOfTheFieldThatIsRestartedAgainAndAgainIsInACrashLoop() throws IOException {
        Verdict verdict = verdict(ReportSpecimens.file("crash-loop-unit.properties"));

        assertThat(verdict.level()).isEqualTo(Verdict.VerdictLevel.DOWN);
        assertThat(verdict.code()).isEqualTo("crash-loop");
        assertThat(verdict.cause()).contains("exit-code", "restarted it 41 times");
        assertThat(verdict.nextStep()).contains("journalctl -u nvidia-imex").doesNotContain("wait");
    }

    @Test
    void aStaticUnitOfTheFieldIsNotToBeEnabled() throws IOException {
        Verdict verdict = verdict(ReportSpecimens.file("static-unit.properties"));

        assertThat(verdict.code()).isEqualTo("inactive");
        assertThat(verdict.cause()).contains("cannot be enabled", "(static)");
        assertThat(verdict.nextStep())
                .isEqualTo("systemctl start nvidia-imex; for the boots to come: systemctl add-wants multi-user.target"
                        + " nvidia-imex.service");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    condition          | success   | 0  | starting   | (condition)        | wait
                    start-pre          | success   | 0  | starting   | (start-pre)        | wait
                    start              | success   | 0  | starting   | (start)            | wait
                    start              | success   | 1  | starting   | (start)            | wait
                    start              | success   | 41 | crash-loop | restarted it 41    | journalctl
                    start-post         | success   | 0  | starting   | (start-post)       | wait
                    auto-restart       | exit-code | 0  | crash-loop | about to restart   | journalctl
                    auto-restart       | exit-code | 1  | crash-loop | restarted it once  | journalctl
                    auto-restart       | success   | 7  | crash-loop | without an error   | journalctl
                    auto-restart       | oom-kill  | 7  | crash-loop | memory ran out     | journalctl -k
                    auto-restart       | core-dump | 7  | crash-loop | core dump          | coredumpctl
                    auto-restart-queued| signal    | 7  | crash-loop | a signal           | kernel log
                    """)
    void howAStartGoesIsToldApart(String sub, String result, int restarts, String code, String cause, String nextStep) {
        assertThat(verdict("loaded", "activating", sub, "enabled", result, restarts))
                .satisfies(verdict -> {
                    assertThat(verdict.code()).isEqualTo(code);
                    assertThat(verdict.cause()).contains(cause);
                    assertThat(verdict.nextStep()).contains(nextStep);
                });
    }

    @Test
    void theMomentBeforeARestartAndAStopByAFailureBelongToTheLoop() {
        assertThat(verdict("loaded", "failed", "failed-before-auto-restart", "enabled", "timeout", 3)
                        .code())
                .isEqualTo("crash-loop");
        assertThat(verdict("loaded", "inactive", "dead-before-auto-restart", "enabled", "success", 3)
                        .code())
                .isEqualTo("crash-loop");
        assertThat(verdict("loaded", "deactivating", "stop-sigterm", "enabled", "timeout", 3)
                        .code())
                .isEqualTo("crash-loop");
        assertThat(verdict("loaded", "deactivating", "stop-sigterm", "enabled", "timeout", 0)
                        .cause())
                .contains("timeout");
        assertThat(verdict("loaded", "deactivating", "final-sigterm", "enabled", "success", 3)
                        .cause())
                .isEqualTo("the service was stopped");
    }

    @Test
    void aCrashLoopThatGoesOnIsNoNews() throws IOException {
        ImexHealth before = judged(UnitState.parse(ReportSpecimens.file("crash-loop-unit.properties")));
        ImexHealth later = judged(UnitState.parse(
                ReportSpecimens.file("crash-loop-unit.properties").replace("NRestarts=41", "NRestarts=42")));

        assertThat(later.verdict()).isNotEqualTo(before.verdict());
        assertThat(later.hasSameContentAs(before)).isTrue();
        assertThat(later.verdict().repeats(before.verdict())).isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    exit-code       | ended with an error | journalctl -u nvidia-imex
                    signal          | a signal            | kernel log
                    core-dump       | core dump           | coredumpctl
                    watchdog        | WatchdogSec=        | journalctl
                    timeout         | TimeoutStartSec=    | journalctl
                    protocol        | Type=               | systemctl cat nvidia-imex
                    resources       | could not set up    | systemctl cat nvidia-imex
                    oom-kill        | memory ran out      | journalctl -k
                    start-limit-hit | StartLimitBurst=    | systemctl reset-failed nvidia-imex
                    success         | without an error    | journalctl
                    exec-condition  | ExecCondition=      | systemctl cat
                    brand-new       | brand-new           | journalctl
                    """)
    void everyResultOfAFailureHasWordsOfItsOwn(String result, String cause, String nextStep) {
        assertThat(verdict("loaded", "failed", "failed", "enabled", result, 5)).satisfies(verdict -> {
            assertThat(verdict.code()).isEqualTo("failed");
            assertThat(verdict.cause()).contains("result " + result, cause, "5 times");
            assertThat(verdict.nextStep()).contains(nextStep, "systemctl restart nvidia-imex");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
                    enabled         | it was stopped or never started   | systemctl start nvidia-imex
                    enabled-runtime | until the next boot only          | systemctl enable --now nvidia-imex
                    disabled        | not enabled (disabled)            | systemctl enable --now nvidia-imex
                    linked          | not enabled (linked)              | systemctl enable --now nvidia-imex
                    linked-runtime  | not enabled (linked-runtime)      | systemctl enable --now nvidia-imex
                    static          | cannot be enabled                 | systemctl add-wants multi-user.target
                    indirect        | Also=                             | systemctl add-wants multi-user.target
                    alias           | another name of a unit            | systemctl show --property=Id
                    generated       | a generator makes its file        | systemctl cat nvidia-imex
                    transient       | gone with the next boot           | install the package nvidia-imex
                    ''              | does not say whether              | systemctl is-enabled nvidia-imex
                    brand-new       | (brand-new)                       | systemctl is-enabled nvidia-imex
                    """)
    void whatABootStartsIsToldApart(String file, String cause, String nextStep) {
        assertThat(verdict("loaded", "inactive", "dead", file, "success", 0)).satisfies(verdict -> {
            assertThat(verdict.code()).isEqualTo("inactive");
            assertThat(verdict.cause()).contains(cause);
            assertThat(verdict.nextStep()).contains(nextStep);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"static", "indirect", "alias", "generated", "transient"})
    void nobodyIsToldToEnableWhatCannotBeEnabled(String file) {
        assertThat(verdict("loaded", "inactive", "dead", file, "success", 0).nextStep())
                .doesNotStartWith("systemctl enable");
    }

    @Test
    void aMaskUntilTheNextBootIsLiftedInItsOwnWay() {
        assertThat(verdict("masked", "inactive", "dead", "masked", "success", 0).nextStep())
                .startsWith("systemctl unmask nvidia-imex, then systemctl start nvidia-imex");
        assertThat(verdict("masked", "failed", "failed", "masked-runtime", "exit-code", 0))
                .satisfies(verdict -> {
                    assertThat(verdict.code()).isEqualTo("masked");
                    assertThat(verdict.nextStep()).startsWith("systemctl unmask --runtime nvidia-imex");
                });
        assertThat(verdict("loaded", "inactive", "dead", "masked", "success", 0).code())
                .isEqualTo("masked");
    }

    @ParameterizedTest
    @CsvSource({
        "bad-setting,inactive,dead,enabled",
        "bad-setting,failed,failed,enabled",
        "bad-setting,activating,auto-restart,enabled",
        "error,inactive,dead,''",
        "error,failed,failed,enabled",
        "not-found,failed,failed,''",
        "not-found,activating,auto-restart,''",
        "not-found,inactive,dead,bad",
        "not-found,inactive,dead,enabled",
        "loaded,inactive,dead,bad",
        "loaded,inactive,dead,invalid",
    })
    void whatSystemdCannotLoadHasABadFile(String load, String active, String sub, String file) {
        assertThat(verdict(load, active, sub, file, "success", 3)).satisfies(verdict -> {
            assertThat(verdict.level()).isEqualTo(Verdict.VerdictLevel.DOWN);
            assertThat(verdict.code()).isEqualTo("bad-unit-file");
            assertThat(verdict.cause()).contains("systemd cannot load nvidia-imex.service: ");
            assertThat(verdict.nextStep()).contains("systemctl daemon-reload");
        });
    }

    @Test
    void aUnitOfWhichSystemdKnowsNothingBesideFilesOfThePackageMayNeedAReload() {
        Verdict verdict = verdict("not-found", "inactive", "dead", "", "success", 0);

        assertThat(verdict.code()).isEqualTo("not-installed");
        assertThat(verdict.nextStep()).startsWith("systemctl daemon-reload; ").contains("install the package");
    }

    @Test
    void whatSystemdSaysOfABadFileIsTold() {
        assertThat(verdict(
                                "LoadState=bad-setting",
                                "LoadError=org.freedesktop.systemd1.BadUnitSetting \"Unit nvidia-imex.service has a bad"
                                        + " unit file setting.\"",
                                "ActiveState=inactive",
                                "SubState=dead")
                        .cause())
                .endsWith("(bad-setting): Unit nvidia-imex.service has a bad unit file setting");
    }

    @ParameterizedTest
    @CsvSource({"bad-setting,(bad-setting)", "error,(error)", "not-found,(not-found)"})
    void aDaemonThatOutlivesItsFileIsJudgedByItsWordAndItsFileNoted(String load, String word) {
        UnitState unit = UnitState.parse("LoadState=" + load + "\nActiveState=active\nSubState=running\n");

        assertThat(unit.state()).isEqualTo(ActiveState.ACTIVE);
        assertThat(judged(unit).notes())
                .anySatisfy(note -> assertThat(note).contains("nothing will start it once it has ended", word));
    }

    @Test
    void aDaemonThatWasRestartedByItselfAndRunsIsNoted() {
        UnitState unit =
                UnitState.parse("LoadState=loaded\nActiveState=active\nSubState=running\nNRestarts=3\nResult=success");

        assertThat(judged(unit).notes()).anySatisfy(note -> assertThat(note).contains("restarted nvidia-imex 3 times"));
    }

    @ParameterizedTest
    @CsvSource({
        "active,running",
        "active,exited",
        "reloading,reload",
        "reloading,reload-signal",
        "reloading,reload-notify",
        "reloading,reload-post",
        "refreshing,refresh-extensions",
        "refreshing,refresh-credentials",
        "refreshing,mounting",
    })
    void whatRunsIsAsked(String active, String sub) {
        assertThat(verdict("loaded", active, sub, "enabled", "success", 0).code())
                .isEqualTo("unreachable");
    }

    @Test
    void aUnitThatIsActiveWithoutAProcessIsSaidToBe() {
        assertThat(verdict("loaded", "active", "exited", "enabled", "success", 0)
                        .cause())
                .startsWith("its unit is active without a process, and ");
    }

    @Test
    void aStartThatWaitsForOtherUnitsIsNoStopByAnOperator() {
        Verdict verdict = verdict(
                "LoadState=loaded", "ActiveState=inactive", "SubState=dead", "UnitFileState=enabled", "Job=1234");

        assertThat(verdict.code()).isEqualTo("starting");
        assertThat(verdict.nextStep()).contains("systemctl list-jobs");
    }

    @Test
    void anAssertionThatDidNotHoldIsNamed() {
        Verdict verdict = verdict(
                "LoadState=loaded",
                "ActiveState=inactive",
                "SubState=dead",
                "UnitFileState=enabled",
                "ConditionResult=yes",
                "ConditionTimestampMonotonic=5",
                "AssertResult=no",
                "AssertTimestampMonotonic=5");

        assertThat(verdict.code()).isEqualTo("blocked");
        assertThat(verdict.cause()).contains("assertion");
    }

    @ParameterizedTest
    @CsvSource({
        "network-online.target,loaded,inactive,inactive",
        "network-online.target,loaded,failed,failed",
        "fabric.service,loaded,failed,failed",
        "fabric.service,not-found,inactive,not-found",
        "fabric.service,masked,inactive,masked",
    })
    void aUnitThatIsRequiredAndDoesNotRunIsNamed(String id, String load, String active, String word) {
        UnitState unit = requiring("system.slice " + id, "x.device");

        UnitState blocked = unit.amongRequired("Id=system.slice\nLoadState=loaded\nActiveState=active\n\nId=" + id
                + "\nLoadState=" + load + "\nActiveState=" + active + "\n");

        assertThat(unit.facts().required()).containsExactly("system.slice", id, "x.device");
        assertThat(blocked.state()).isEqualTo(ActiveState.BLOCKED);
        assertThat(judged(blocked).verdict().cause()).isEqualTo("it requires " + id + ", which is " + word);
    }

    @Test
    void aRequiredServiceThatHasEndedBlocksNothing() {
        UnitState unit = requiring("once.service", "");

        assertThat(unit.amongRequired("Id=once.service\nLoadState=loaded\nActiveState=inactive\n"))
                .isEqualTo(unit);
        assertThat(unit.amongRequired("nonsense")).isEqualTo(unit);
    }

    private static UnitState requiring(String requires, String bindsTo) {
        return UnitState.parse("""
                LoadState=loaded
                ActiveState=inactive
                SubState=dead
                UnitFileState=enabled
                Requires=%s
                BindsTo=%s
                """.formatted(requires, bindsTo));
    }
}
