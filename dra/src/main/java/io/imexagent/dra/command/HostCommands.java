package io.imexagent.dra.command;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs programs as processes, with nothing on their standard input and with messages in English. */
public final class HostCommands implements Commands {

    private static final int KEPT = 64 * 1024;
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** rpm ends its transaction first, scriptlets that build kernel modules included. */
    private static final Duration AFTER_TERM = Duration.ofMinutes(5);

    private final Duration afterTerm;

    /** Runs programs of this host. */
    public HostCommands() {
        this(AFTER_TERM);
    }

    HostCommands(Duration afterTerm) {
        this.afterTerm = afterTerm;
    }

    @Override
    public Ended run(List<String> command, Duration limit) throws InterruptedException {
        return carryOut(command, process -> {
            boolean ended = false;
            try {
                ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
                return ended ? Optional.empty() : Optional.of(new Ended.TimedOut(limit));
            } finally {
                if (!ended) {
                    process.descendants().forEach(ProcessHandle::destroyForcibly);
                    process.destroyForcibly();
                }
            }
        });
    }

    @Override
    public Ended change(List<String> command, Duration limit) throws InterruptedException {
        return carryOut(command, process -> {
            if (process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
            process.destroy();
            return Optional.of(
                    process.waitFor(afterTerm.toMillis(), TimeUnit.MILLISECONDS)
                            ? new Ended.TimedOut(limit)
                            : new Ended.TimedOut(limit, Optional.of(process.pid())));
        });
    }

    private static Ended carryOut(List<String> command, Wait wait) throws InterruptedException {
        Process process;
        try {
            var builder = new ProcessBuilder(command).redirectInput(new File("/dev/null"));
            builder.environment().put("LC_ALL", "C");
            process = builder.start();
        } catch (IOException failure) {
            return new Ended.NotStarted(String.valueOf(failure.getMessage()));
        }
        var answer = new Tail();
        var complaint = new Tail();
        Thread answering = Thread.ofVirtual().start(() -> answer.read(process.getInputStream()));
        Thread complaining = Thread.ofVirtual().start(() -> complaint.read(process.getErrorStream()));
        Optional<Ended> late = wait.on(process);
        if (late.isPresent()) {
            return late.get();
        }
        // A child that outlives the program may hold its outputs open; what it says does not matter. They are closed
        // only now: destroy() closes those of a process that has ended, too, with what nobody has read of them yet.
        answering.join(GRACE);
        complaining.join(GRACE);
        process.destroy();
        return new Ended.Exited(process.exitValue(), answer.text(), complaint.text());
    }

    /** Waits for a process; says how it ended where it did not end by itself. */
    @FunctionalInterface
    private interface Wait {
        Optional<Ended> on(Process process) throws InterruptedException;
    }

    /** The last part of an output, whatever its length. */
    private static final class Tail {

        private final byte[] buffer = new byte[2 * KEPT];
        private int length;

        void read(InputStream source) {
            byte[] chunk = new byte[8192];
            try (source) {
                for (int count = source.read(chunk); count >= 0; count = source.read(chunk)) {
                    add(chunk, count);
                }
            } catch (IOException closed) {
                // The program was ended.
            }
        }

        private synchronized void add(byte[] chunk, int count) {
            if (length + count > buffer.length) {
                System.arraycopy(buffer, length - KEPT, buffer, 0, KEPT);
                length = KEPT;
            }
            System.arraycopy(chunk, 0, buffer, length, count);
            length += count;
        }

        synchronized String text() {
            return new String(Arrays.copyOf(buffer, length), StandardCharsets.UTF_8);
        }
    }
}
