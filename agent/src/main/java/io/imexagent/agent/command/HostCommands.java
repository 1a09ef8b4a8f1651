package io.imexagent.agent.command;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs programs as processes, with nothing on their standard input and with messages in English. */
public final class HostCommands implements Commands {

    private static final int KEPT = 64 * 1024;
    private static final Duration GRACE = Duration.ofSeconds(5);

    @Override
    public Ended run(List<String> command, Duration limit) throws InterruptedException {
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
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Ended.TimedOut(limit);
            }
            // A child that outlives the program may hold its outputs open; what it says does not matter.
            answering.join(GRACE);
            complaining.join(GRACE);
            return new Ended.Exited(process.exitValue(), answer.text(), complaint.text());
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
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
