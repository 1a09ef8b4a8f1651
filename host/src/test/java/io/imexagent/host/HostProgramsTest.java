package io.imexagent.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Much of this waits until a program has hung long enough, so the tests run beside each other. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(60)
class HostProgramsTest {

    private static final Duration LONG = Duration.ofSeconds(50);
    private static final Duration SHORT = Duration.ofSeconds(2);
    private static final int LIMIT = 64 * 1024;

    @TempDir
    Path folder;

    private final HostPrograms programs = new HostPrograms();

    @Test
    void tellsCodeAndBothOutputsApart() throws Exception {
        assertThat(ask("echo out; echo err >&2; exit 3", LONG))
                .isEqualTo(new ProgramOutcome.Ended(3, "out\n", "err\n"));
    }

    /** However late the threads that read come to it. */
    @RepeatedTest(100)
    void losesNothingOfWhatAProgramSaidBeforeItEnded() throws Exception {
        assertThat(ask("echo out", LONG)).isEqualTo(new ProgramOutcome.Ended(0, "out\n", ""));
    }

    @Test
    void speaksEnglishAndReadsNothing() throws Exception {
        assertThat(ask("echo $LC_ALL; cat", LONG)).isEqualTo(new ProgramOutcome.Ended(0, "C\n", ""));
    }

    @Test
    void endsWhatHangsWithItsChildren() throws Exception {
        assertThat(ask("sleep 600 & echo $! > child; wait", SHORT))
                .isEqualTo(new ProgramOutcome.TimedOut(SHORT, Optional.empty()));
        assertGone(child());
    }

    @Test
    void keepsTheEndOfAFloodAndReadsItAll() throws Exception {
        assertThat(ask("head -c 1000000 /dev/zero | tr '\\0' x; echo the end", LONG))
                .isInstanceOfSatisfying(
                        ProgramOutcome.Ended.class,
                        ended -> assertThat(ended.out()).endsWith("xthe end\n").hasSizeBetween(1000, 200_000));
    }

    @Test
    void tellsWhatIsNotThere() throws Exception {
        assertThat(programs.run(Program.asking(List.of("/nowhere/dnf"), LONG)))
                .isInstanceOf(ProgramOutcome.NotStarted.class);
        assertThat(programs.run(Program.apart(List.of("/nowhere/tool"), LONG, Map.of(), LIMIT)))
                .isEqualTo(new ProgramOutcome.NotStarted("/nowhere/tool is no program here"));
    }

    @Test
    void tellsHowAChangeEnded() throws Exception {
        assertThat(programs.run(Program.changing(sh("echo out; exit 3"), LONG)))
                .isEqualTo(new ProgramOutcome.Ended(3, "out\n", ""));
    }

    @Test
    void tellsAChangeThatTakesTooLongToEnd() throws Exception {
        Duration atOnce = Duration.ofMillis(50);

        assertThat(programs.run(Program.changing(sh("exec sleep 600"), atOnce)))
                .isEqualTo(new ProgramOutcome.TimedOut(atOnce, Optional.empty()));
    }

    @Test
    void leavesAChangeAloneThatDoesNotEndWhenItIsTold() throws Exception {
        Program stubborn = changing("trap '' TERM; while :; do sleep 0.1; done", Duration.ofMillis(200));

        assertThat(programs.run(stubborn)).isInstanceOfSatisfying(ProgramOutcome.TimedOut.class, late -> {
            ProcessHandle left =
                    ProcessHandle.of(late.stillRunning().orElseThrow()).orElseThrow();
            assertThat(left.isAlive()).isTrue();
            left.destroyForcibly();
        });
    }

    @Test
    void givesAProgramApartNothingOfItsOwn() throws Exception {
        assertThat(apart("/usr/bin/env | /usr/bin/sort", Map.of("A", "1"), LONG))
                .isInstanceOfSatisfying(
                        ProgramOutcome.Ended.class,
                        ended -> assertThat(ended.out()).contains("A=1\n").doesNotContain("HOME=", "PATH=/usr/local"));
    }

    @Test
    void killsAProgramApartWithItsWholeSession() throws Exception {
        assertThat(apart("(sleep 600 & echo $! > child) ; sleep 600", SHORT))
                .isEqualTo(new ProgramOutcome.TimedOut(SHORT, Optional.empty()));
        assertGone(child());
    }

    @Test
    void killsTheChildrenOfAProgramApartWithoutSetsidToo() throws Exception {
        var withoutSetsid = new HostPrograms(List.of(), ProcessHandle::destroyForcibly);

        assertThat(withoutSetsid.run(Program.apart(sh("sleep 600 & echo $! > child; wait"), SHORT, path(), LIMIT)))
                .isEqualTo(new ProgramOutcome.TimedOut(SHORT, Optional.empty()));
        assertGone(child());
    }

    @Test
    void doesNotWaitForAChildThatHoldsTheOutput() throws Exception {
        assertThat(ask("sleep 600 & echo $! > child; echo out", LONG))
                .isEqualTo(new ProgramOutcome.Ended(0, "out\n", ""));
        ProcessHandle.of(child()).orElseThrow().destroyForcibly();

        // Where the program ends before anybody reads, the JDK closes the output itself, and nobody sees the child.
        assertThat(apart("sleep 600 & echo $! > child; echo out; sleep 0.5", LONG))
                .isEqualTo(new ProgramOutcome.Ended(0, "out\n", ""));
        assertGone(child());
    }

    @Test
    void stopsAFloodOnEitherOutput() throws Exception {
        assertThat(apart("yes", LONG)).isEqualTo(new ProgramOutcome.Flooded(LIMIT));
        assertThat(apart("yes >&2", LONG)).isEqualTo(new ProgramOutcome.Flooded(LIMIT));
    }

    @Test
    void aProgramThatShowsItsErrorsHasNoneToTell() throws Exception {
        assertThat(programs.run(Program.showingErrors(sh("echo $B; echo shown >&2"), LONG, Map.of("B", "2"), LIMIT)))
                .isEqualTo(new ProgramOutcome.Ended(0, "2\n", ""));
    }

    @Test
    void startsNoMoreOfAProgramWhoseProcessesCannotBeKilled() throws Exception {
        var unkillable = new ArrayList<ProcessHandle>();
        var powerless = new HostPrograms(List.of(), unkillable::add);
        Program hanging = Program.asking(List.of("/bin/sleep", "600"), Duration.ofMillis(10));

        for (int number = 0; number < HostPrograms.MOST_HANGING; number++) {
            assertThat(powerless.run(hanging))
                    .isInstanceOfSatisfying(
                            ProgramOutcome.TimedOut.class,
                            late -> assertThat(late.stillRunning()).isPresent());
        }
        assertThat(powerless.run(hanging)).isEqualTo(new ProgramOutcome.Capped(HostPrograms.MOST_HANGING));
        assertThat(powerless.run(Program.asking(sh("echo other"), LONG)))
                .isEqualTo(new ProgramOutcome.Ended(0, "other\n", ""));

        for (ProcessHandle one : unkillable) {
            one.destroyForcibly();
            one.onExit().join();
        }
        assertThat(powerless.run(Program.asking(List.of("/bin/sleep", "0"), LONG)))
                .isEqualTo(new ProgramOutcome.Ended(0, "", ""));
    }

    @Test
    void killsWhatItRunsWhenItIsInterrupted() throws Exception {
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                ask("echo $$ > child; exec sleep 600", LONG);
            } catch (InterruptedException expected) {
                Thread.currentThread().interrupt();
            }
        });
        while (!Files.exists(folder.resolve("child")) || Files.size(folder.resolve("child")) == 0) {
            Thread.sleep(5);
        }

        waiting.interrupt();

        waiting.join();
        assertGone(child());
    }

    private ProgramOutcome ask(String script, Duration deadline) throws InterruptedException {
        return programs.run(Program.asking(sh(script), deadline));
    }

    private ProgramOutcome apart(String script, Duration deadline) throws InterruptedException {
        return apart(script, path(), deadline);
    }

    private ProgramOutcome apart(String script, Map<String, String> environment, Duration deadline)
            throws InterruptedException {
        return programs.run(Program.apart(sh(script), deadline, environment, LIMIT));
    }

    private Program changing(String script, Duration grace) {
        Program usual = Program.changing(sh(script), SHORT);
        return new Program(
                usual.words(), SHORT, usual.environment(), false, usual.limit(), true, false, Optional.of(grace));
    }

    private static Map<String, String> path() {
        return Map.of("PATH", "/usr/bin:/bin");
    }

    /** A script in the test's folder. */
    private List<String> sh(String script) {
        return List.of("/bin/sh", "-c", "cd '" + folder + "' && { " + script + "\n}");
    }

    private long child() throws IOException {
        return Long.parseLong(Files.readString(folder.resolve("child")).strip());
    }

    /** It has ended, whether somebody has asked for that yet (state Z) or not. */
    private static void assertGone(long pid) throws InterruptedException {
        while (runs(pid)) {
            Thread.sleep(5);
        }
    }

    private static boolean runs(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException gone) {
            return false;
        }
    }
}
