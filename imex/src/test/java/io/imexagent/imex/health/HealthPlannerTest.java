package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.DaemonHealth.DaemonCondition;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.Verdict.VerdictLevel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class HealthPlannerTest {

    private static final QueryResult<PrintedState<DaemonState>> READY =
            new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY));
    private static final ImexReading.ImexNode SERVING = Readings.node(new Applicability.Applicable(), true);
    private static final ImexReading.ImexNode OBSERVING = Readings.node(new Applicability.Applicable(), false);
    private static final ImexReading.ImexNode NOWHERE =
            Readings.node(new Applicability.NotApplicable("the node has no GPU"), true);

    private static ImexReading reading(
            ImexReading.ImexNode setting,
            boolean installed,
            UnitState unit,
            QueryResult<PrintedState<DaemonState>> local,
            QueryResult<DomainReport> domain) {
        return Readings.of(
                Instant.EPOCH,
                setting,
                installed,
                unit,
                Optional.of(ImexConfiguration.DEFAULTS),
                Optional.empty(),
                local,
                domain);
    }

    private static ImexHealth ready(DomainReport domain) {
        return HealthPlanner.judge(reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                READY,
                new QueryResult.QueryAnswered<>(domain)));
    }

    private static ImexHealth unit(ImexReading.ImexNode setting, UnitState unit) {
        return HealthPlanner.judge(reading(
                setting,
                true,
                unit,
                QueryResult.notQueried("the unit does not run"),
                QueryResult.notQueried("no daemon")));
    }

    private static ImexHealth local(QueryResult<PrintedState<DaemonState>> local) {
        QueryResult<DomainReport> domain =
                local instanceof QueryResult.QueryFailed<?>(QueryResult.Failure failure, String detail)
                        ? new QueryResult.QueryFailed<>(failure, detail)
                        : QueryResult.notQueried("not asked");
        return HealthPlanner.judge(reading(SERVING, true, new UnitState(UnitState.ActiveState.ACTIVE), local, domain));
    }

    @Test
    void aWholeDomainIsUp() {
        ImexHealth health = ready(ReportSpecimens.up(18));

        assertThat(health.daemon()).isEqualTo(new DaemonHealth(DaemonCondition.READY));
        assertThat(health.domain().state()).contains(DomainState.UP);
        assertThat(health.verdict()).isEqualTo(new Verdict(VerdictLevel.UP, "up", "IMEX domain UP 18/18", "", ""));
        assertThat(health.line()).isEqualTo("IMEX domain UP 18/18");
    }

    @Test
    void aMissingNodeDegradesTheDomainAndIsNamed() {
        ImexHealth health = ready(ReportSpecimens.domain(18, List.of(3), DomainState.DEGRADED));

        assertThat(health.domain().state()).contains(DomainState.DEGRADED);
        assertThat(health.domain().links().orElseThrow().missingNames()).containsExactly("10.0.0.4");
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DEGRADED);
        assertThat(health.verdict().summary()).isEqualTo("IMEX domain DEGRADED 17/18");
        assertThat(health.verdict().cause()).isEqualTo("not ready: 10.0.0.4");
        assertThat(health.verdict().nextStep()).contains("/var/log/nvidia-imex.log");
    }

    @Test
    void manyMissingNodesDoNotMakeAParagraph() {
        ImexHealth health = ready(ReportSpecimens.domain(18, List.of(1, 2, 3, 4, 5, 6, 7), DomainState.DEGRADED));

        assertThat(health.verdict().cause())
                .isEqualTo("not ready: 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 10.0.0.6 and 2 more");
    }

    @Test
    void readyNodesThatAreNotConnectedAreNamed() {
        ImexHealth health = ready(ReportSpecimens.with(
                ReportSpecimens.domain(3, List.of(), DomainState.DEGRADED), 0, 2, ConnectionState.DISCONNECTED));

        assertThat(health.verdict().cause()).isEqualTo("not connected: 10.0.0.1 to 10.0.0.3 (DISCONNECTED)");
    }

    @Test
    void aDomainThatIsDownIsDown() {
        ImexHealth health = ready(ReportSpecimens.domain(2, List.of(1), DomainState.DOWN));

        assertThat(health.domain().state()).contains(DomainState.DOWN);
        assertThat(health.domain().links().orElseThrow().missingNames()).containsExactly("10.0.0.2");
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(health.verdict().code()).isEqualTo("domain-down");
    }

    @ParameterizedTest
    @EnumSource(LinkFault.LinkFaultKind.class)
    void nodesThatRefuseToTalkAreNamed(LinkFault.LinkFaultKind kind) {
        ImexHealth health = ready(
                ReportSpecimens.with(ReportSpecimens.domain(3, List.of(), DomainState.DEGRADED), 0, 2, kind.state()));

        assertThat(health.faults()).containsExactly(new LinkFault(kind, "10.0.0.1", "10.0.0.3"));
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DEGRADED);
        assertThat(health.verdict().code()).isEqualTo(kind.text().replace(' ', '-'));
        assertThat(health.verdict().cause()).startsWith(kind.text() + " between 10.0.0.1 and 10.0.0.3");
        assertThat(health.verdict().nextStep()).contains("restart nvidia-imex");
    }

    @Test
    void aVersionMismatchTellsTheVersions() {
        DomainReport report = ReportSpecimens.with(
                ReportSpecimens.domain(2, List.of(), DomainState.DEGRADED), 0, 1, ConnectionState.VERSION_MISMATCH);
        NodeReport old = report.nodes().get(1);
        var mixed = new DomainReport(
                List.of(
                        report.nodes().get(0),
                        new NodeReport(
                                1,
                                old.address(),
                                Optional.of("n2"),
                                old.state(),
                                Optional.of("570.1"),
                                old.connections())),
                report.state(),
                OptionalInt.empty());

        assertThat(ready(mixed).verdict().cause())
                .isEqualTo("version mismatch between 10.0.0.1 and n2 (570.1 on 1 node, 580.95.05 on 1 node)");
    }

    @Test
    void notReadyIsNotReady() {
        ImexHealth health = local(new QueryResult.QueryAnswered<>(PrintedState.of("NOT_READY", DaemonState.values())));

        assertThat(health.daemon()).isEqualTo(new DaemonHealth(DaemonCondition.NOT_READY, "NOT_READY"));
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(health.verdict().summary()).isEqualTo("nvidia-imex NOT_READY");
    }

    @ParameterizedTest
    @EnumSource(DaemonState.class)
    void everyStateButReadyIsDown(DaemonState state) {
        ImexHealth health = HealthPlanner.judge(reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                new QueryResult.QueryAnswered<>(PrintedState.of(state)),
                new QueryResult.QueryAnswered<>(ReportSpecimens.up(2))));

        assertThat(health.verdict().level())
                .isEqualTo(state == DaemonState.READY ? VerdictLevel.UP : VerdictLevel.DOWN);
        assertThat(DaemonHealth.LABELS).contains(health.daemon().label());
    }

    @Test
    void whoIsWaitedForIsNamedAndTheAskedNodeIsNot() {
        DomainReport report =
                ReportSpecimens.domain(3, List.of(0, 2), DomainState.DOWN).withLocal(OptionalInt.of(0));
        ImexHealth health = HealthPlanner.judge(reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVATING, "start"),
                new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.WAITING_FOR_PEERS)),
                new QueryResult.QueryAnswered<>(report)));

        assertThat(health.daemon()).isEqualTo(new DaemonHealth(DaemonCondition.WAITING_FOR_PEERS));
        assertThat(health.verdict().cause()).endsWith("not ready: 10.0.0.3");
    }

    @Test
    void waitingForPeersThatWillNeverTalkSaysSo() {
        ImexHealth health = HealthPlanner.judge(reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVATING, "start"),
                new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.WAITING_FOR_PEERS)),
                new QueryResult.QueryAnswered<>(ReportSpecimens.with(
                        ReportSpecimens.domain(2, List.of(), DomainState.DOWN),
                        0,
                        1,
                        ConnectionState.NODE_MAP_MISMATCH))));

        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(health.verdict().code()).isEqualTo("node-map-mismatch");
    }

    static Stream<UnitState> resting() {
        return Stream.of(
                new UnitState(UnitState.ActiveState.NOT_FOUND),
                new UnitState(UnitState.ActiveState.MASKED),
                new UnitState(UnitState.ActiveState.INACTIVE, "enabled"),
                new UnitState(UnitState.ActiveState.SKIPPED, "enabled"),
                new UnitState(UnitState.ActiveState.INACTIVE, "disabled"),
                new UnitState(UnitState.ActiveState.FAILED_DISABLED, "exit-code"));
    }

    /** Its operator wants it to run, in whatever mode the agent is, and whatever is known of the GPUs. */
    @Test
    void anEnabledUnitThatFailedIsDownEverywhere() {
        var failed = new UnitState(UnitState.ActiveState.FAILED, "exit-code");
        var unknown = Readings.node(new Applicability.UnknownApplicability("NVML hangs"), true);

        for (ImexReading.ImexNode setting : List.of(SERVING, OBSERVING, NOWHERE, unknown)) {
            ImexHealth health = unit(setting, failed);
            assertThat(health.daemon().label()).as(setting.toString()).isEqualTo("failed");
            assertThat(health.verdict().level()).as(setting.toString()).isEqualTo(VerdictLevel.DOWN);
        }
    }

    @ParameterizedTest
    @MethodSource("resting")
    void whatRestsWhereItIsServedIsDownEachForItsOwnReason(UnitState state) {
        ImexHealth health = unit(SERVING, state);

        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.DOWN);
        assertThat(health.verdict().nextStep()).isNotEmpty();
    }

    @Test
    void theReasonsOfRestAreKeptApart() {
        assertThat(resting().map(state -> unit(SERVING, state).verdict().code()))
                .containsExactly("not-installed", "masked", "inactive", "skipped", "inactive", "failed");
        assertThat(resting().map(state -> unit(SERVING, state).verdict()).distinct())
                .hasSize(6);
        assertThat(unit(SERVING, new UnitState(UnitState.ActiveState.DEACTIVATING))
                        .daemon())
                .isEqualTo(new DaemonHealth(DaemonCondition.STOPPING));
    }

    @ParameterizedTest
    @MethodSource("resting")
    void whatRestsWhereADriverRunsItsOwnIsNoAlarm(UnitState state) {
        assertThat(unit(OBSERVING, state).verdict().level()).isEqualTo(VerdictLevel.NOT_APPLICABLE);
    }

    @ParameterizedTest
    @MethodSource("resting")
    void whatRestsWhereItHasNothingToDoIsNoAlarm(UnitState state) {
        ImexHealth health = unit(NOWHERE, state);

        assertThat(health.daemon()).isEqualTo(new DaemonHealth(DaemonCondition.NOT_APPLICABLE, "the node has no GPU"));
        assertThat(health.verdict().level()).isEqualTo(VerdictLevel.NOT_APPLICABLE);
    }

    @ParameterizedTest
    @MethodSource("resting")
    void whatRestsWhereNobodyKnowsWhetherItShouldIsUnknown(UnitState state) {
        var setting = Readings.node(new Applicability.UnknownApplicability("NVML hangs"), true);

        assertThat(unit(setting, state).verdict()).satisfies(verdict -> {
            assertThat(verdict.level()).isEqualTo(VerdictLevel.UNKNOWN);
            assertThat(verdict.cause()).endsWith("cannot tell whether this node needs it: NVML hangs");
        });
    }

    @Test
    void aDaemonThatRunsIsJudgedWhereverItRuns() {
        ImexReading reading = reading(
                NOWHERE,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                READY,
                new QueryResult.QueryAnswered<>(ReportSpecimens.domain(2, List.of(1), DomainState.DEGRADED)));

        assertThat(HealthPlanner.judge(reading).verdict().level()).isEqualTo(VerdictLevel.DEGRADED);
    }

    @Test
    void notInstalledIsToldAsSuch() {
        ImexHealth health = HealthPlanner.judge(reading(
                SERVING,
                false,
                new UnitState(UnitState.ActiveState.NOT_FOUND),
                QueryResult.notQueried("nvidia-imex is not installed"),
                QueryResult.notQueried("nvidia-imex is not installed")));

        assertThat(health.daemon()).isEqualTo(new DaemonHealth(DaemonCondition.NOT_INSTALLED));
        assertThat(health.domain()).isEqualTo(new DomainHealth(QueryResult.notQueried("nvidia-imex is not installed")));
    }

    @Test
    void aDaemonThatDoesNotAnswerIsDownAndAToolThatHangsIsUnknown() {
        assertThat(local(new QueryResult.QueryFailed<>(QueryResult.Failure.UNREACHABLE, "error code: 14"))
                        .verdict())
                .satisfies(verdict -> {
                    assertThat(verdict.level()).isEqualTo(VerdictLevel.DOWN);
                    assertThat(verdict.cause()).contains("error code: 14");
                });
        for (QueryResult.Failure failure : List.of(
                QueryResult.Failure.HUNG,
                QueryResult.Failure.FLOODED,
                QueryResult.Failure.ERROR,
                QueryResult.Failure.UNREADABLE,
                QueryResult.Failure.NOT_STARTED)) {
            assertThat(local(new QueryResult.QueryFailed<>(failure, "why")).verdict())
                    .satisfies(verdict -> {
                        assertThat(verdict.level()).isEqualTo(VerdictLevel.UNKNOWN);
                        assertThat(verdict.cause()).isEqualTo("why");
                    });
        }
    }

    @Test
    void aDaemonThatIsNotReachedYetIsStarting() {
        ImexHealth health = HealthPlanner.judge(reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVATING, "start"),
                new QueryResult.QueryFailed<>(QueryResult.Failure.UNREACHABLE, "error code: 14"),
                QueryResult.notQueried("not asked")));

        assertThat(health.daemon())
                .isEqualTo(new DaemonHealth(DaemonCondition.STARTING, "its process is starting (start)"));
    }

    private static ImexHealth restarted(
            UnitState.ActiveState state,
            int restarts,
            Optional<Duration> age,
            QueryResult<PrintedState<DaemonState>> local) {
        ImexFiles unremarkable = Readings.UNREMARKABLE;
        return HealthPlanner.judge(new ImexReading(
                Instant.EPOCH,
                SERVING,
                true,
                new UnitState(state, "", new UnitState.UnitFacts(restarts, "", List.of(), ProcessStart.UNKNOWN)),
                Optional.of(ImexConfiguration.DEFAULTS),
                Optional.empty(),
                local,
                QueryResult.notQueried("not asked"),
                new ImexFiles(unremarkable.configuration(), unremarkable.nodes(), age.map(Instant.EPOCH::minus))));
    }

    private static QueryResult<PrintedState<DaemonState>> said(String word) {
        return word.equals("14")
                ? new QueryResult.QueryFailed<>(QueryResult.Failure.UNREACHABLE, "error code: 14")
                : new QueryResult.QueryAnswered<>(PrintedState.of(word, DaemonState.values()));
    }

    @ParameterizedTest
    @CsvSource({
        "ACTIVE, 41, 3, 14, it does not answer",
        "ACTIVE, 2, 599, 14, it does not answer",
        "ACTIVE, 41, 3, INITIALIZING, it is INITIALIZING once more",
        "ACTIVE, 41, 3, STARTING_AUTH_SERVER, it is STARTING_AUTH_SERVER once more",
        "ACTIVE, 41, 3, INIT_GPU, it is INIT_GPU once more",
        "ACTIVATING, 41, 3, INITIALIZING, it is INITIALIZING once more",
        "ACTIVATING, 41, , 14, it does not answer",
    })
    void aRunThatGetsNowhereAfterOthersIsALoopWhateverItsUnitIsCalled(
            UnitState.ActiveState unit, int restarts, Long age, String said, String cause) {
        ImexHealth health = restarted(unit, restarts, Optional.ofNullable(age).map(Duration::ofSeconds), said(said));

        assertThat(health.verdict().code()).isEqualTo("crash-loop");
        assertThat(health.verdict().cause()).isEqualTo(cause + ", and systemd has restarted it " + restarts + " times");
        assertThat(health.verdict().nextStep())
                .contains("journalctl -u nvidia-imex")
                .doesNotContain("wait");
        assertThat(health.notes()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "ACTIVE, 41, 600, 14, unreachable",
        "ACTIVE, 41, 86400, INITIALIZING, starting",
        "ACTIVE, 41, , 14, unreachable",
        "ACTIVE, 1, 3, INITIALIZING, starting",
        "ACTIVATING, 41, 600, 14, starting",
        "ACTIVE, 41, 3, WAITING_FOR_PEERS, waiting-for-peers",
        "ACTIVE, 41, 3, READY, domain-unknown",
    })
    void restartsOfLongAgoAndARunThatGetsOnAreNoLoop(
            UnitState.ActiveState unit, int restarts, Long age, String said, String code) {
        assertThat(restarted(unit, restarts, Optional.ofNullable(age).map(Duration::ofSeconds), said(said))
                        .verdict()
                        .code())
                .isEqualTo(code);
    }

    @Test
    void aDaemonWhoseCommandServiceIsOffIsToldHowToTurnItOn() {
        ImexReading reading = Readings.of(
                Instant.EPOCH,
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                Optional.of(ImexConfiguration.parse("IMEX_CMD_ENABLED=0")),
                Optional.empty(),
                new QueryResult.QueryFailed<>(QueryResult.Failure.UNREACHABLE, "error code: 14"),
                QueryResult.notQueried("not asked"));

        assertThat(HealthPlanner.judge(reading).verdict()).satisfies(verdict -> {
            assertThat(verdict.level()).isEqualTo(VerdictLevel.UNKNOWN);
            assertThat(verdict.code()).isEqualTo("command-service-off");
            assertThat(verdict.nextStep()).contains("IMEX_CMD_ENABLED=1");
        });
    }

    @Test
    void aReadyDaemonWhoseDomainIsNotToldIsDegradedNotDown() {
        ImexReading reading = reading(
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                READY,
                new QueryResult.QueryFailed<>(
                        QueryResult.Failure.NO_NODES_FILE, "Failed to read node configuration file"));

        assertThat(HealthPlanner.judge(reading).verdict()).satisfies(verdict -> {
            assertThat(verdict.level()).isEqualTo(VerdictLevel.DEGRADED);
            assertThat(verdict.code()).isEqualTo("domain-unknown");
        });
    }

    @Test
    void filesThatDifferFromTheDaemonAreNoted() {
        ImexReading reading = Readings.of(
                Instant.EPOCH,
                SERVING,
                true,
                new UnitState(UnitState.ActiveState.ACTIVE),
                Optional.of(ImexConfiguration.parse("junk")),
                Optional.of(List.of("a", "b", "a")),
                READY,
                new QueryResult.QueryAnswered<>(ReportSpecimens.up(2)));

        assertThat(HealthPlanner.judge(reading).notes())
                .anySatisfy(note -> assertThat(note).contains("line 1 is no KEY=value"))
                .anySatisfy(note -> assertThat(note).contains("more than once: a"))
                .anySatisfy(note -> assertThat(note).contains("names 3 nodes and the daemon knows 2"));
    }

    @Test
    void theTimeIsNoNews() {
        ImexHealth health = ready(ReportSpecimens.up(2));
        var later = new ImexHealth(
                Instant.EPOCH.plusSeconds(30),
                health.daemon(),
                health.domain(),
                health.faults(),
                health.notes(),
                health.verdict(),
                health.start(),
                health.nodesFile());
        var again = new ImexHealth(
                health.at(),
                health.daemon(),
                health.domain(),
                health.faults(),
                health.notes(),
                health.verdict(),
                OptionalLong.of(71_000_001),
                health.nodesFile());

        assertThat(health.hasSameContentAs(later)).isTrue();
        assertThat(health.hasSameContentAs(again))
                .as("another run of the daemon")
                .isFalse();
        assertThat(health.hasSameContentAs(ready(ReportSpecimens.up(3)))).isFalse();
    }
}
