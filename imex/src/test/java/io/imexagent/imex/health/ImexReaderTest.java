package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.host.HostPrograms;
import io.imexagent.host.ProgramOutcome;
import io.imexagent.imex.health.ImexReading.Applicability;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reader over processes: scripts that answer, hang, flood, fail and complain. */
@Execution(ExecutionMode.CONCURRENT)
class ImexReaderTest {

    private static final ImexReading.ImexNode SERVING = Readings.node(new Applicability.Applicable(), true);
    private static final Duration TIMEOUT = Duration.ofMillis(1500);

    @TempDir(factory = TempDirFactory.Standard.class)
    Path root;

    private Tools tools;

    @BeforeEach
    void layOut() throws IOException {
        tools = new Tools(root);
    }

    private ImexReader reader() {
        return new ImexReader(tools.settings(TIMEOUT), root, new HostPrograms(), InstantSource.fixed(Instant.EPOCH));
    }

    /** A tool that says READY, and prints this report as JSON. */
    private void answering(DomainReport report) throws IOException {
        Files.writeString(root.resolve("domain.json"), ReportSpecimens.json(report, 1));
        tools.tool("case \"$*\" in *-q) echo READY ;; *) cat '" + root.resolve("domain.json") + "' ;; esac");
    }

    private static QueryResult.QueryFailed<?> failed(QueryResult<?> answer) {
        if (answer instanceof QueryResult.QueryFailed<?> failed) {
            return failed;
        }
        throw new AssertionError("expected a failure, but it was " + answer);
    }

    @Test
    void readsUnitDaemonAndDomain() throws Exception {
        answering(ReportSpecimens.up(3));
        Files.writeString(root.resolve("etc/nvidia-imex/nodes_config.cfg"), "10.0.0.1\n10.0.0.2\n10.0.0.3\n");

        ImexReading reading = reader().read(SERVING);

        assertThat(reading.unit()).isEqualTo(new UnitState(UnitState.ActiveState.ACTIVE));
        assertThat(reading.local()).isEqualTo(new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)));
        assertThat(reading.domain()).isEqualTo(new QueryResult.QueryAnswered<>(ReportSpecimens.up(3)));
        assertThat(reading.nodes())
                .hasValueSatisfying(nodes -> assertThat(nodes).hasSize(3));
        assertThat(HealthPlanner.judge(reading).verdict().level()).isEqualTo(Verdict.VerdictLevel.UP);
    }

    @Test
    void fallsBackToTheTableOfAToolWithoutJsonAndRemembersIt() throws Exception {
        Files.writeString(root.resolve("table"), ReportSpecimens.file("two-nodes-up.txt"));
        tools.tool("case \"$*\" in *-q) echo READY ;; *-j) echo 'unknown option -j' >&2; exit 1 ;; *) cat '"
                + root.resolve("table") + "' ;; esac");
        ImexReader reader = reader();

        ImexReading first = reader.read(SERVING);
        tools.forgetCalls();
        reader.read(SERVING);

        assertThat(first.domain())
                .isInstanceOfSatisfying(
                        QueryResult.QueryAnswered.class,
                        told -> assertThat(((DomainReport) told.value()).state())
                                .isEqualTo(PrintedState.of(DomainState.UP)));
        assertThat(tools.calls())
                .containsExactly(
                        "nvidia-imex-ctl -c /etc/nvidia-imex/config.cfg -q",
                        "nvidia-imex-ctl -c /etc/nvidia-imex/config.cfg -N");
    }

    @Test
    void asksNothingWhereNothingIsInstalled() throws Exception {
        Files.delete(root.resolve("usr/lib/systemd/system/nvidia-imex.service"));

        ImexReading reading = reader().read(SERVING);

        assertThat(reading.installed()).isFalse();
        assertThat(tools.calls()).isEmpty();
    }

    @Test
    void asksNoDaemonThatDoesNotRun() throws Exception {
        answering(ReportSpecimens.up(2));
        for (String load : List.of("masked", "loaded")) {
            tools.unit(load, "inactive");
            tools.forgetCalls();

            ImexReading reading = reader().read(SERVING);

            assertThat(failed(reading.local()).failure()).isEqualTo(QueryResult.Failure.NOT_ASKED);
            assertThat(tools.calls()).singleElement().asString().startsWith("systemctl show ");
        }
    }

    @Test
    void asksNoDaemonBetweenTwoRestartsOfACrashLoop() throws Exception {
        tools.systemctl("cat '" + fixture("crash-loop-unit.properties") + "'");
        tools.tool("exec sh '" + fixture("crash-loop-nvidia-imex-ctl") + "'");

        ImexHealth health = HealthPlanner.judge(reader().read(SERVING));

        assertThat(health.daemon().label()).isEqualTo("crash_loop");
        assertThat(health.verdict().cause()).contains("exit-code", "41 times");
        assertThat(tools.calls()).singleElement().asString().startsWith("systemctl show ");
    }

    @Test
    void asksForTheUnitsThatOneAtRestRequires() throws Exception {
        tools.systemctl("case \"$*\" in"
                + " *nvidia-imex.service) printf 'LoadState=loaded\\nActiveState=inactive\\nUnitFileState=enabled\\n"
                + "Requires=system.slice network-online.target\\n' ;;"
                + " *) printf 'Id=system.slice\\nLoadState=loaded\\nActiveState=active\\n\\n"
                + "Id=network-online.target\\nLoadState=loaded\\nActiveState=inactive\\n' ;; esac");

        ImexHealth health = HealthPlanner.judge(reader().read(SERVING));

        assertThat(health.verdict().code()).isEqualTo("blocked");
        assertThat(health.verdict().cause()).isEqualTo("it requires network-online.target, which is inactive");
        assertThat(tools.calls())
                .last()
                .isEqualTo("systemctl show --property=Id,LoadState,ActiveState -- system.slice network-online.target");
    }

    /** A file of the field, where a script finds it. */
    private Path fixture(String name) throws IOException {
        return Files.writeString(root.resolve(name), ReportSpecimens.file(name));
    }

    @Test
    void asksForTheUnitSeldomWhileTheDaemonIsReadyAndAlwaysOtherwise() throws Exception {
        answering(ReportSpecimens.up(2));
        ImexReader reader = reader();

        for (int look = 0; look < 11; look++) {
            reader.read(SERVING);
        }
        assertThat(tools.calls().stream().filter(call -> call.startsWith("systemctl")))
                .hasSize(2);

        tools.tool("echo WAITING_FOR_PEERS");
        tools.forgetCalls();
        for (int look = 0; look < 3; look++) {
            reader.read(SERVING);
        }
        assertThat(tools.calls().stream().filter(call -> call.startsWith("systemctl")))
                .hasSizeGreaterThanOrEqualTo(2);
    }

    @Test
    void aDaemonThatStopsAnsweringHasItsUnitAskedForInTheSameLook() throws Exception {
        answering(ReportSpecimens.up(2));
        ImexReader reader = reader();
        reader.read(SERVING);
        reader.read(SERVING);

        tools.unit("loaded", "inactive");
        tools.tool("echo 'Query Status returned error code: 14'; exit 255");
        tools.forgetCalls();
        ImexReading stopped = reader.read(SERVING);

        assertThat(stopped.unit()).isEqualTo(new UnitState(UnitState.ActiveState.INACTIVE, "enabled"));
        assertThat(failed(stopped.local()).failure()).isEqualTo(QueryResult.Failure.NOT_ASKED);
        assertThat(failed(stopped.domain()).failure()).isEqualTo(QueryResult.Failure.NOT_ASKED);
        assertThat(HealthPlanner.judge(stopped).verdict().code()).isEqualTo("inactive");
        assertThat(tools.calls()).hasSize(2);
    }

    @Test
    void aDaemonThatStopsAnsweringWhileItsUnitRunsIsUnreachable() throws Exception {
        answering(ReportSpecimens.up(2));
        ImexReader reader = reader();
        reader.read(SERVING);

        tools.tool("echo 'Query Status returned error code: 14'; exit 255");
        tools.forgetCalls();
        ImexReading silent = reader.read(SERVING);

        assertThat(silent.unit()).isEqualTo(new UnitState(UnitState.ActiveState.ACTIVE));
        assertThat(HealthPlanner.judge(silent).verdict().code()).isEqualTo("unreachable");
        assertThat(tools.calls()).hasSize(2);
    }

    @Test
    void theCauseOfAToolOfTheFieldIsTheLineBeforeItsHelp() throws Exception {
        tools.tool("exec sh '" + fixture("usage-text-nvidia-imex-ctl") + "'");

        ImexHealth health = HealthPlanner.judge(reader().read(SERVING));

        assertThat(health.verdict().cause())
                .endsWith("ended with 255: Unable to open configuration file at /etc/nvidia-imex/config.cfg");
        assertThat(health.verdict().nextStep())
                .startsWith("write /etc/nvidia-imex/config.cfg, with IMEX_CMD_ENABLED=1, IMEX_CMD_PORT=50005");
    }

    @Test
    void aCommandServiceOfTheFieldWithoutAPortIsAskedOverItsSocket() throws Exception {
        Files.writeString(
                root.resolve("etc/nvidia-imex/config.cfg"), ReportSpecimens.file("peers-command-service-config.cfg"));
        answering(ReportSpecimens.up(2));

        ImexReading reading = reader().read(SERVING);

        assertThat(HealthPlanner.judge(reading).verdict().level()).isEqualTo(Verdict.VerdictLevel.UP);
        assertThat(tools.calls().stream().filter(call -> call.startsWith("nvidia-imex-ctl")))
                .containsExactly(
                        "nvidia-imex-ctl -u /run/nvidia-imex/imex.sock -q",
                        "nvidia-imex-ctl -u /run/nvidia-imex/imex.sock -N -j");
    }

    @Test
    void aDaemonThatDoesNotAnswerOnItsPortIsAskedOverItsSocketToo() throws Exception {
        Files.writeString(
                root.resolve("etc/nvidia-imex/config.cfg"),
                "IMEX_CMD_PORT=50005\nIMEX_CMD_UNIX_DOMAIN_PATH=/run/imex.sock\n");
        Files.writeString(root.resolve("domain.json"), ReportSpecimens.json(ReportSpecimens.up(2), 1));
        tools.tool("case \"$*\" in -c*) echo 'error code: 14'; exit 255 ;; *-q) echo READY ;; *) cat '"
                + root.resolve("domain.json") + "' ;; esac");

        assertThat(HealthPlanner.judge(reader().read(SERVING)).verdict().level())
                .isEqualTo(Verdict.VerdictLevel.UP);
        assertThat(tools.calls().stream().filter(call -> call.startsWith("nvidia-imex-ctl")))
                .containsExactly(
                        "nvidia-imex-ctl -c /etc/nvidia-imex/config.cfg -q",
                        "nvidia-imex-ctl -u /run/imex.sock -q",
                        "nvidia-imex-ctl -u /run/imex.sock -N -j");
    }

    @Test
    void aDaemonThatIsDownIsSaidToBeWhateverItsSocketGives() throws Exception {
        Files.writeString(
                root.resolve("etc/nvidia-imex/config.cfg"),
                "IMEX_CMD_PORT=50005\nIMEX_CMD_UNIX_DOMAIN_PATH=/run/imex.sock\n");
        tools.tool("case \"$*\" in -u*) echo 'no such socket'; exit 1 ;; *) echo 'error code: 14'; exit 255 ;; esac");

        assertThat(failed(reader().read(SERVING).local()).failure()).isEqualTo(QueryResult.Failure.UNREACHABLE);
    }

    /** Nothing may listen there, or something else, and the daemon may be well. */
    @ParameterizedTest
    @ValueSource(strings = {"echo 'error code: 14'; exit 255", "exec sleep 60", "echo broken; exit 1"})
    void aSocketThatOnlyTheAgentNamesNeverSaysThatTheDaemonIsDown(String said) throws Exception {
        tools.tool("case \"$*\" in -u*) " + said + " ;; *) echo 'something is odd'; exit 1 ;; esac");

        ImexWatchSettings usual = tools.settings(TIMEOUT);
        var settings = new ImexWatchSettings(
                usual.watch(),
                usual.interval(),
                usual.timeout(),
                usual.tool(),
                usual.systemctl(),
                usual.configuration(),
                Optional.of(Path.of("/run/other.sock")),
                usual.gatePrepare(),
                usual.taint(),
                usual.taintAfter(),
                usual.nodeEvents());
        var reader = new ImexReader(settings, root, new HostPrograms(), InstantSource.fixed(Instant.EPOCH));
        QueryResult.QueryFailed<?> failed = failed(reader.read(SERVING).local());

        assertThat(failed.failure()).isEqualTo(QueryResult.Failure.ERROR);
        assertThat(failed.detail()).contains("something is odd");
    }

    @Test
    void aCommandServiceWithoutPortAndSocketIsOff() throws Exception {
        Files.writeString(root.resolve("etc/nvidia-imex/config.cfg"), "IMEX_CMD_PORT=\n");
        tools.tool("echo 'error code: 14'; exit 255");

        Verdict verdict = HealthPlanner.judge(reader().read(SERVING)).verdict();

        assertThat(verdict.code()).isEqualTo("command-service-off");
        assertThat(verdict.nextStep()).startsWith("set IMEX_CMD_PORT=50005 in config.cfg");
    }

    @Test
    void aDomainThatTakesLongerThanTheLimitNamesItsKey() throws Exception {
        tools.tool("case \"$*\" in *-q) echo READY ;; *) sleep 300 ;; esac");

        ImexHealth health = HealthPlanner.judge(reader().read(SERVING));

        assertThat(health.verdict().code()).isEqualTo("domain-unknown");
        assertThat(health.verdict().cause()).endsWith("-N -j' did not end within 1500 ms (imex.health.timeout)");
    }

    @Test
    void anErrorCodeIsComparedWhole() throws Exception {
        tools.tool("echo 'Query Status returned error code: 140'; exit 255");

        assertThat(failed(reader().read(SERVING).local()).failure()).isEqualTo(QueryResult.Failure.ERROR);
    }

    /** The unit is remembered for ten looks; a daemon that was started again since has read the file. */
    @Test
    void aFileThatIsNewerThanTheRememberedUnitHasTheUnitAskedForAgain() throws Exception {
        answering(ReportSpecimens.up(2));
        Path file = Files.writeString(
                root.resolve("etc/nvidia-imex/config.cfg"), "IMEX_CMD_ENABLED=1\nIMEX_CMD_PORT=50005\n");
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-11-26T12:00:00Z")));
        startedAt("2026-11-26 13:00:00");
        var reader = new ImexReader(
                tools.settings(TIMEOUT),
                root,
                new HostPrograms(),
                InstantSource.fixed(Instant.parse("2026-11-26T15:00:00Z")));

        assertThat(newer(reader)).isFalse();
        Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2026-11-26T14:00:00Z")));
        assertThat(newer(reader)).isTrue();
        startedAt("2026-11-26 14:30:00");
        assertThat(newer(reader)).isFalse();
    }

    private void startedAt(String time) throws IOException {
        tools.systemctl("printf 'LoadState=loaded\\nActiveState=active\\nSubState=running\\n"
                + "ExecMainStartTimestamp=Thu " + time + " UTC\\n'");
    }

    private static boolean newer(ImexReader reader) throws InterruptedException {
        return HealthPlanner.judge(reader.read(SERVING)).notes().stream()
                .anyMatch(note -> note.contains("is newer than the running nvidia-imex"));
    }

    @Test
    void aToolThatHangsIsKilledWithItsChildrenAndTheDomainNotAsked() throws Exception {
        tools.tool("sleep 300 & echo $! > '" + root.resolve("child") + "'; sleep 300");
        long start = System.nanoTime();

        ImexReading reading = reader().read(SERVING);

        assertThat(failed(reading.local()).failure()).isEqualTo(QueryResult.Failure.HUNG);
        assertThat(failed(reading.local()).detail()).contains("-q' did not end within 1500 ms (imex.health.timeout)");
        assertThat(failed(reading.domain()).failure()).isEqualTo(QueryResult.Failure.HUNG);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(TIMEOUT.multipliedBy(3));
        assertThat(tools.calls().stream().filter(call -> call.startsWith("nvidia-imex-ctl")))
                .hasSize(1);
        assertGone(Long.parseLong(Files.readString(root.resolve("child")).strip()));
    }

    @Test
    void aChildThatHoldsTheOutputKeepsNobodyWaiting() throws Exception {
        // Where the program ends before anybody reads, the JDK closes the output itself, and nobody sees the child.
        tools.tool("case \"$*\" in *-q) sleep 300 & echo $! > '" + root.resolve("child")
                + "'; echo READY; sleep 0.5 ;; *) echo '{}' ;; esac");

        ImexReading reading = reader().read(SERVING);

        assertThat(reading.local()).isEqualTo(new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)));
        assertGone(Long.parseLong(Files.readString(root.resolve("child")).strip()));
    }

    @Test
    void aToolWhoseProcessesCannotBeKilledHangs() throws Exception {
        tools.tool("echo READY");
        var reader = new ImexReader(
                tools.settings(TIMEOUT),
                root,
                program -> new ProgramOutcome.Capped(3),
                InstantSource.fixed(Instant.EPOCH));

        QueryResult.QueryFailed<?> failed = failed(reader.read(SERVING).local());

        assertThat(failed.failure()).isEqualTo(QueryResult.Failure.HUNG);
        assertThat(failed.detail()).endsWith("-q' was not run, since 3 such processes hang and cannot be killed");
    }

    @Test
    void aToolThatFloodsIsStopped() throws Exception {
        tools.tool("case \"$*\" in *-q) echo READY ;; *) yes '{\"nodes\":{' ;; esac");

        ImexReading reading = reader().read(SERVING);

        assertThat(failed(reading.domain()).failure()).isEqualTo(QueryResult.Failure.FLOODED);
        assertThat(failed(reading.domain()).detail()).contains("more than 4194304 bytes");
        assertThat(HealthPlanner.judge(reading).verdict().code()).isEqualTo("domain-unknown");
    }

    @Test
    void aFloodOfErrorsIsStoppedToo() throws Exception {
        tools.tool("yes complaint >&2");

        assertThat(failed(reader().read(SERVING).local()).failure()).isEqualTo(QueryResult.Failure.FLOODED);
    }

    @Test
    void exit255IsToldWithTheToolsOwnWords() throws Exception {
        tools.tool("case \"$*\" in *-q) echo READY ;; *) echo 'Failed to read node configuration file' >&2; exit 255 ;;"
                + " esac");

        ImexReading reading = reader().read(SERVING);

        assertThat(failed(reading.domain()).failure()).isEqualTo(QueryResult.Failure.NO_NODES_FILE);
        assertThat(failed(reading.domain()).detail())
                .isEqualTo("'nvidia-imex-ctl -c /etc/nvidia-imex/config.cfg -N -j' ended with 255: Failed to read node"
                        + " configuration file");
    }

    @Test
    void aDaemonThatIsDownIsUnreachable() throws Exception {
        tools.tool("echo 'Query Status returned error code: 14'; exit 255");

        assertThat(failed(reader().read(SERVING).local()).failure()).isEqualTo(QueryResult.Failure.UNREACHABLE);
    }

    @Test
    void complaintsBesideAnAnswerDoNotSpoilIt() throws Exception {
        answering(ReportSpecimens.up(1));
        Files.writeString(root.resolve("domain.json"), ReportSpecimens.json(ReportSpecimens.up(1), 1));
        tools.tool("echo 'warning: something' >&2; case \"$*\" in *-q) echo READY ;; *) cat '"
                + root.resolve("domain.json") + "' ;; esac");

        ImexReading reading = reader().read(SERVING);

        assertThat(reading.local()).isEqualTo(new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)));
        assertThat(reading.domain()).isEqualTo(new QueryResult.QueryAnswered<>(ReportSpecimens.up(1)));
    }

    @Test
    void aMissingToolIsSaid() throws Exception {
        assertThat(failed(reader().read(SERVING).local())).satisfies(failure -> {
            assertThat(failure.failure()).isEqualTo(QueryResult.Failure.NOT_STARTED);
            assertThat(failure.detail()).endsWith("nvidia-imex-ctl is no program here");
        });
    }

    @Test
    void aHostWithoutSystemdIsAskedAllTheSame() throws Exception {
        answering(ReportSpecimens.up(1));
        Files.delete(root.resolve("bin/systemctl"));

        ImexReading reading = reader().read(SERVING);

        assertThat(reading.unit().state()).isEqualTo(UnitState.ActiveState.UNKNOWN);
        assertThat(HealthPlanner.judge(reading).verdict().level()).isEqualTo(Verdict.VerdictLevel.UP);
    }

    @Test
    void thePathOfTheNodesComesFromTheConfiguration() throws Exception {
        answering(ReportSpecimens.up(1));
        Files.writeString(root.resolve("etc/nvidia-imex/config.cfg"), "IMEX_NODE_CONFIG_FILE=/etc/other.cfg\n");
        Files.writeString(root.resolve("etc/other.cfg"), "10.0.0.1\n");

        assertThat(reader().read(SERVING).nodes())
                .hasValueSatisfying(nodes -> assertThat(nodes).containsExactly("10.0.0.1"));
    }

    /** The proof that a look changes nothing: every call asks, and no file of the host differs afterwards. */
    @Test
    void looksWithoutTouchingAnything() throws Exception {
        answering(ReportSpecimens.up(2));
        Files.writeString(root.resolve("etc/nvidia-imex/config.cfg"), "IMEX_CMD_ENABLED=1\n");
        Files.writeString(root.resolve("etc/nvidia-imex/nodes_config.cfg"), "10.0.0.1\n10.0.0.2\n");
        Map<String, String> before = files();
        ImexReader reader = reader();

        for (String active : List.of("active", "activating", "inactive", "failed", "deactivating")) {
            for (String load : List.of("loaded", "masked", "not-found")) {
                tools.unit(load, active);
                reader().read(SERVING);
                reader.read(SERVING);
            }
        }

        tools.unit("loaded", "active");
        assertThat(files()).isEqualTo(before);
        assertThat(tools.calls())
                .isNotEmpty()
                .allSatisfy(call -> assertThat(call)
                        .matches("systemctl show --property=[A-Za-z,]+ -- nvidia-imex\\.service"
                                + "|nvidia-imex-ctl -c /etc/nvidia-imex/config\\.cfg (-q|-N|-N -j)"));
    }

    /** Every file under the root with its content and times, but the scripts and what they write down. */
    private Map<String, String> files() throws IOException {
        var files = new TreeMap<String, String>();
        try (Stream<Path> found = Files.walk(root)) {
            found.filter(file -> !file.equals(root.resolve("calls")))
                    .filter(file -> !file.startsWith(root.resolve("bin")) && !file.equals(root))
                    .forEach(file -> files.put(root.relativize(file).toString(), described(file)));
        }
        return files;
    }

    private static String described(Path file) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            return attributes.lastModifiedTime() + " " + (attributes.isDirectory() ? "" : Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void assertGone(long pid) throws InterruptedException {
        for (int wait = 0; wait < 2000; wait++) {
            if (!runs(pid)) {
                return;
            }
            Thread.sleep(10);
        }
        throw new AssertionError("process " + pid + " still runs");
    }

    /** Whether there is such a process; one that has ended and that nobody has asked for yet (state Z) does not run. */
    private static boolean runs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }
}
