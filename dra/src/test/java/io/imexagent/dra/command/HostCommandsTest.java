package io.imexagent.dra.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.dra.command.Commands.Ended;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HostCommandsTest {

    private static final Duration LONG = Duration.ofSeconds(50);

    private final HostCommands commands = new HostCommands();

    @Test
    void tellsCodeAndBothOutputsApart() throws InterruptedException {
        assertThat(sh("echo out; echo err >&2; exit 3", LONG)).isEqualTo(new Ended.Exited(3, "out\n", "err\n"));
    }

    /** However late the threads that read come to it. */
    @RepeatedTest(100)
    void losesNothingOfWhatAProgramSaidBeforeItEnded() throws InterruptedException {
        assertThat(sh("echo out", LONG)).isEqualTo(new Ended.Exited(0, "out\n", ""));
    }

    @Test
    void speaksEnglishAndReadsNothing() throws InterruptedException {
        assertThat(sh("echo $LC_ALL; cat", LONG)).isEqualTo(new Ended.Exited(0, "C\n", ""));
    }

    @Test
    void endsWhatHangsWithItsChildren(@TempDir Path folder) throws InterruptedException {
        Path pid = folder.resolve("pid");

        Ended ended = sh("sleep 600 & echo $! > " + pid + "; wait", Duration.ofSeconds(1));

        assertThat(ended).isEqualTo(new Ended.TimedOut(Duration.ofSeconds(1)));
        assertThat(pid)
                .exists()
                .content()
                .satisfies(text -> assertThat(
                                ProcessHandle.of(Long.parseLong(text.strip())).filter(ProcessHandle::isAlive))
                        .satisfiesAnyOf(
                                handle -> assertThat(handle).isEmpty(),
                                handle -> assertThat(handle.orElseThrow().onExit())
                                        .succeedsWithin(LONG)));
    }

    @Test
    void tellsAChangeThatTakesTooLongToEnd() throws InterruptedException {
        Ended ended = commands.change(List.of("/bin/sh", "-c", "exec sleep 600"), Duration.ofMillis(200));

        assertThat(ended).isEqualTo(new Ended.TimedOut(Duration.ofMillis(200)));
    }

    @Test
    void leavesAChangeAloneThatDoesNotEndWhenItIsTold() throws InterruptedException {
        var impatient = new HostCommands(Duration.ofMillis(200));

        Ended ended = impatient.change(
                List.of("/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"), Duration.ofMillis(500));

        assertThat(ended).isInstanceOfSatisfying(Ended.TimedOut.class, late -> {
            ProcessHandle left =
                    ProcessHandle.of(late.stillRunning().orElseThrow()).orElseThrow();
            assertThat(left.isAlive()).isTrue();
            left.destroyForcibly();
        });
    }

    @Test
    void tellsHowAChangeEnded() throws InterruptedException {
        assertThat(commands.change(List.of("/bin/sh", "-c", "echo out; exit 3"), LONG))
                .isEqualTo(new Ended.Exited(3, "out\n", ""));
    }

    @Test
    void keepsTheEndOfAFloodAndReadsItAll() throws InterruptedException {
        assertThat(sh("head -c 1000000 /dev/zero | tr '\\0' x; echo the end", LONG))
                .isInstanceOfSatisfying(
                        Ended.Exited.class,
                        exited -> assertThat(exited.output())
                                .endsWith("xthe end\n")
                                .hasSizeBetween(1000, 200_000));
    }

    @Test
    void tellsWhatIsNotThere() throws InterruptedException {
        assertThat(commands.run(List.of("/nowhere/dnf"), LONG)).isInstanceOf(Ended.NotStarted.class);
    }

    private Ended sh(String script, Duration limit) throws InterruptedException {
        return commands.run(List.of("/bin/sh", "-c", script), limit);
    }
}
