package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.imex.health.ImexReading.Applicability;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FileNotesTest {

    private static final Instant START = Instant.parse("2026-11-26T12:00:00Z");
    private static final Instant NOW = START.plus(Duration.ofHours(2));
    private static final String CONFIGURATION = "/etc/nvidia-imex/config.cfg";
    private static final String NODES = ImexConfiguration.NODES_FILE;
    private static final List<String> TWO = List.of("10.0.0.1", "10.0.0.2");
    private static final QueryResult<DomainReport> UP = new QueryResult.QueryAnswered<>(ReportSpecimens.up(2));
    private static final QueryResult<DomainReport> NOT_TOLD = QueryResult.notQueried("not asked");

    private static HostFile changed(String path, Instant at) {
        return new HostFile.ReadFile(path, "", at);
    }

    private static ImexHealth judged(
            UnitState unit,
            HostFile configuration,
            HostFile nodes,
            List<String> named,
            Optional<Instant> started,
            QueryResult<DomainReport> domain) {
        QueryResult<PrintedState<DaemonState>> local = unit.state() == UnitState.ActiveState.ACTIVE
                ? new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY))
                : QueryResult.notQueried("the unit does not run");
        return HealthPlanner.judge(new ImexReading(
                NOW,
                Readings.node(new Applicability.Applicable(), true),
                true,
                unit,
                Optional.of(ImexConfiguration.DEFAULTS),
                Optional.of(named),
                local,
                domain,
                new ImexFiles(configuration, nodes, started)));
    }

    private static List<String> notes(
            Instant configuration, Instant nodes, List<String> named, QueryResult<DomainReport> domain) {
        return judged(
                        new UnitState(UnitState.ActiveState.ACTIVE),
                        changed(CONFIGURATION, configuration),
                        changed(NODES, nodes),
                        named,
                        Optional.of(START),
                        domain)
                .notes();
    }

    @Test
    void aFileOfNodesThatIsNewerThanTheDaemonIsNotedWhereTheDomainIsNotTold() {
        assertThat(notes(START, START.plusSeconds(60), TWO, NOT_TOLD))
                .singleElement()
                .asString()
                .startsWith("nodes-file-changed: " + NODES
                        + " is newer than the running nvidia-imex, which reads it at its start only");
        assertThat(notes(START, START.minusSeconds(60), TWO, NOT_TOLD)).isEmpty();
    }

    @Test
    void aFileWithOtherNodesThanTheDaemonsIsNotedWhateverItsTime() {
        List<String> others = List.of("10.0.0.1", "10.0.0.3");

        for (Instant changed : List.of(START.minus(Duration.ofDays(300)), START.plusSeconds(60), NOW.plusSeconds(1))) {
            assertThat(notes(START, changed, others, UP))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "nodes-file-changed: " + NODES + " names other nodes than the running nvidia-imex knows");
        }
    }

    @Test
    void aNameBesideAnAddressIsJudgedByTheClock() {
        List<String> named = List.of("10.0.0.1", "tray-2");

        assertThat(notes(START, START.minusSeconds(60), named, UP)).isEmpty();
        assertThat(notes(START, START.plusSeconds(60), named, UP)).hasSize(1);
    }

    @Test
    void whatWasWrittenAgainWithTheSameNodesIsNoChange() {
        assertThat(notes(START, START.plusSeconds(60), TWO, UP)).isEmpty();
    }

    @Test
    void anotherOrderIsAChange() {
        assertThat(notes(START, START.minusSeconds(60), TWO.reversed(), UP)).hasSize(1);
    }

    @Test
    void aConfigurationThatIsNewerThanTheDaemonIsNoted() {
        assertThat(notes(START.plusSeconds(60), START, TWO, UP))
                .singleElement()
                .asString()
                .startsWith(CONFIGURATION + " is newer than the running nvidia-imex");
    }

    @Test
    void whatWasWrittenRightBeforeTheStartOrByAWrongClockIsNoChange() {
        assertThat(notes(START.plusMillis(900), START.plusMillis(900), TWO, NOT_TOLD))
                .isEmpty();
        assertThat(notes(NOW.plusSeconds(1), NOW.plusSeconds(1), TWO, NOT_TOLD)).isEmpty();
    }

    @Test
    void nothingIsNewerThanADaemonOfWhichNobodySaysSinceWhenItRuns() {
        assertThat(judged(
                                new UnitState(UnitState.ActiveState.ACTIVE),
                                changed(CONFIGURATION, NOW),
                                changed(NODES, NOW),
                                TWO,
                                Optional.empty(),
                                NOT_TOLD)
                        .notes())
                .isEmpty();
    }

    @Test
    void aFileThatIsMissingIsNamedWithWhatToWrite() {
        ImexHealth health = judged(
                new UnitState(UnitState.ActiveState.FAILED, "exit-code"),
                new HostFile.MissingFile(CONFIGURATION),
                new HostFile.UnreadableFile(NODES, "AccessDeniedException: no"),
                TWO,
                Optional.empty(),
                NOT_TOLD);

        assertThat(health.verdict().cause()).endsWith("; " + CONFIGURATION + " does not exist");
        assertThat(health.notes())
                .anySatisfy(note -> assertThat(note)
                        .contains(CONFIGURATION + " does not exist; write", "IMEX_CMD_PORT=50005", NODES))
                .anySatisfy(note -> assertThat(note)
                        .contains(NODES + " cannot be read", "; make " + NODES + " a file that can be read"));
    }

    @Test
    void nobodyIsToldToWriteAFileThatIsThere() {
        HostFile unreadable = new HostFile.UnreadableFile(CONFIGURATION, "it is no regular file");
        ImexHealth health = judged(
                new UnitState(UnitState.ActiveState.FAILED, "exit-code"),
                unreadable,
                new HostFile.MissingFile(NODES),
                TWO,
                Optional.empty(),
                NOT_TOLD);

        assertThat(health.notes())
                .anySatisfy(note -> assertThat(note)
                        .startsWith(CONFIGURATION + " cannot be read: it is no regular file; make " + CONFIGURATION))
                .anySatisfy(note -> assertThat(note)
                        .contains(NODES + " does not exist; write", "the same file on all nodes of this rack"));
        assertThat(FileNotes.configurationRemedy(unreadable)).doesNotContain("write");
        assertThat(FileNotes.configurationRemedy(new HostFile.ReadFile(CONFIGURATION, "", START)))
                .contains("'nvidia-imex-ctl -q'", CONFIGURATION)
                .doesNotContain("write");
        assertThat(FileNotes.configurationRemedy(new HostFile.MissingFile(CONFIGURATION)))
                .startsWith("write " + CONFIGURATION);
    }
}
