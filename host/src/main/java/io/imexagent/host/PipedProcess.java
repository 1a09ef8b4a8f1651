package io.imexagent.host;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A child process that exchanges messages with this one over its standard input and output, until {@link #close} or the
 * end of this process: its input then ends, at which the child must end. It shares the standard error of this process.
 * Unlike a {@link Program} it has no deadline; the caller keeps one.
 */
public final class PipedProcess implements AutoCloseable {

    /** A process in uninterruptible sleep outlives its kill; it ends as soon as the kernel lets it. */
    private static final Duration REST = Duration.ofSeconds(2);

    private final Process process;

    private PipedProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a program with the environment of this process, without the variables whose names {@code dropped} accepts.
     *
     * @param words the program and its arguments; no shell is involved
     * @param added variables that it gets beside, {@code NAME=value}
     */
    public static PipedProcess start(List<String> words, Predicate<String> dropped, Collection<String> added)
            throws IOException {
        var builder = new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(dropped);
        for (String variable : added) {
            int equals = variable.indexOf('=');
            builder.environment().put(variable.substring(0, equals), variable.substring(equals + 1));
        }
        return new PipedProcess(builder.start());
    }

    public long pid() {
        return process.pid();
    }

    /** What the program reads. */
    public OutputStream in() {
        return process.getOutputStream();
    }

    /** What the program writes. */
    public InputStream out() {
        return process.getInputStream();
    }

    /** Waits briefly for the end of the process, and returns how it ended, as a clause. */
    public String end() throws InterruptedException {
        if (!process.waitFor(REST.toMillis(), TimeUnit.MILLISECONDS)) {
            return "it still runs as process " + process.pid();
        }
        int code = process.exitValue();
        return code > 128 ? "a signal ended it (" + (code - 128) + ")" : "it ended with exit code " + code;
    }

    /** Kills the program if it still runs, and waits briefly for its end. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(REST.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
    }
}
