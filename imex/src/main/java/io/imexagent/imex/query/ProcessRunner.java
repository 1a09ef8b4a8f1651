package io.imexagent.imex.query;

import io.imexagent.imex.report.Printable;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs questions as processes: each in a session, and so in a process group, of its own, with nothing to read, without
 * the environment of the agent, in the C locale. One that hangs or floods is killed with its group; a child that holds an
 * output open keeps nobody waiting.
 */
public final class ProcessRunner implements CommandRunner {

    /** util-linux has it on every distribution; without it only the process and its known children are killed. */
    private static final List<Path> SETSID = List.of(Path.of("/usr/bin/setsid"), Path.of("/bin/setsid"));

    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL", "C", "SYSTEMD_COLORS", "0", "SYSTEMD_PAGER", "");

    /** What was printed before the end is there at once; only a child that holds the output keeps it open. */
    private static final Duration REST = Duration.ofMillis(500);

    private final Duration timeout;
    private final int limit;
    private final @Nullable Path setsid;

    /**
     * A runner.
     *
     * @param timeout how long a question may take
     * @param limit how many bytes it may print on either output
     */
    public ProcessRunner(Duration timeout, int limit) {
        this(timeout, limit, SETSID);
    }

    ProcessRunner(Duration timeout, int limit, List<Path> setsid) {
        this.timeout = timeout;
        this.limit = limit;
        this.setsid = setsid.stream().filter(Files::isExecutable).findFirst().orElse(null);
    }

    @Override
    public synchronized CommandOutcome run(ImexCommand command) throws InterruptedException {
        var words = new ArrayList<String>();
        if (setsid != null) {
            // No leader of a group forks here, so setsid becomes the program: its process ID is that of the group.
            words.add(setsid.toString());
        }
        words.addAll(command.words());
        var builder = new ProcessBuilder(words).redirectInput(new File("/dev/null"));
        builder.environment().clear();
        builder.environment().putAll(ENVIRONMENT);
        Process process;
        try {
            if (!Files.isExecutable(Path.of(command.words().getFirst()))) {
                return new CommandOutcome.NotStarted(command.words().getFirst() + " is no program here");
            }
            process = builder.start();
        } catch (IOException failure) {
            return new CommandOutcome.NotStarted(Printable.line(String.valueOf(failure.getMessage())));
        }
        try {
            return watch(process);
        } finally {
            end(process);
        }
    }

    private CommandOutcome watch(Process process) throws InterruptedException {
        var flooded = new AtomicBoolean();
        Runnable flood = () -> {
            flooded.set(true);
            kill(process);
        };
        var output = new Collected(process.getInputStream(), limit, flood);
        var errors = new Collected(process.getErrorStream(), limit, flood);
        boolean ended = process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
        if (flooded.get()) {
            return new CommandOutcome.Flooded(limit);
        }
        if (!ended) {
            return new CommandOutcome.Hung(timeout);
        }
        if (!output.ended(REST) || !errors.ended(REST)) {
            // A child that outlived the process holds the output.
            killGroup(process.pid());
        }
        return flooded.get()
                ? new CommandOutcome.Flooded(limit)
                : new CommandOutcome.Ended(process.exitValue(), output.text(), errors.text());
    }

    /** Ends whatever is left, and lets go of the outputs. */
    private void end(Process process) throws InterruptedException {
        if (process.isAlive()) {
            kill(process);
            process.waitFor(REST.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void kill(Process process) {
        List<ProcessHandle> children = process.descendants().toList();
        killGroup(process.pid());
        process.destroyForcibly();
        children.forEach(ProcessHandle::destroyForcibly);
    }

    /** The JDK kills processes and no groups; the shell's own kill does, on every distribution. */
    private void killGroup(long leader) {
        if (setsid == null) {
            return;
        }
        try {
            new ProcessBuilder("/bin/sh", "-c", "kill -s KILL -- \"-$0\"", Long.toString(leader))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectInput(new File("/dev/null"))
                    .start()
                    .waitFor(REST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (IOException noShell) {
            // What is known of the group is killed one by one, by the caller.
        }
    }

    /** What a process prints on one output, read on a thread of its own. */
    private static final class Collected {

        private static final int CHUNK = 8192;

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final InputStream source;
        private final int limit;
        private final Runnable flood;
        private final Thread reader;

        Collected(InputStream source, int limit, Runnable flood) {
            this.source = source;
            this.limit = limit;
            this.flood = flood;
            this.reader = Thread.ofPlatform().name("imex-output").daemon().start(this::read);
        }

        private void read() {
            byte[] chunk = new byte[CHUNK];
            try {
                int read = source.read(chunk);
                while (read >= 0) {
                    bytes.write(chunk, 0, read);
                    if (bytes.size() > limit) {
                        flood.run();
                        return;
                    }
                    read = source.read(chunk);
                }
            } catch (IOException closed) {
                // The process was killed.
            }
        }

        /** Waits this long for the end of the output; false where somebody still holds it. */
        boolean ended(Duration patience) throws InterruptedException {
            return reader.join(patience);
        }

        /** What was read so far. */
        String text() {
            return bytes.toString(StandardCharsets.UTF_8);
        }
    }
}
