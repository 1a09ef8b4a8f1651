package io.imexagent.e2e.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A running agent. What it writes on either output is collected. Methods that wait fail with an
 * {@link IllegalStateException} that holds the agent's log, at once where the agent has ended meanwhile.
 *
 * <p>A script becomes the agent by {@code exec}, so signals and figures are the agent's own.
 */
public final class AgentProcess implements AutoCloseable {

    /** The system property that says how many times slower than hardware the agent is, as an emulated one. */
    private static final String SLOWNESS = "imexagent.slowness";

    /** Longer than anything takes that works; waiting ends as soon as it has happened. */
    public static final Duration LONG = Duration.ofSeconds(60L * Integer.getInteger(SLOWNESS, 1));

    private static final String PORT = " port=";
    private static final long POLL_MS = 2;
    private static final long LONGEST_POLL_MS = 50;

    /** What is awaited needs the processor: a question, such as for a page of metrics, takes a fifth of the time. */
    private static final long COST = 4;

    private static final long DRAIN_MS = 10_000;

    private final Process process;
    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    AgentProcess(Process process, Consumer<String> listener) {
        this.process = process;
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        this.reader = Thread.ofPlatform().daemon().name("output-agent").start(() -> read(output, listener));
    }

    private void read(BufferedReader output, Consumer<String> listener) {
        try (output) {
            String line = output.readLine();
            while (line != null) {
                add(line);
                listener.accept(line);
                line = output.readLine();
            }
        } catch (IOException | UncheckedIOException closed) {
            add("(the output ended: " + closed.getMessage() + ")");
        }
    }

    private void add(String line) {
        synchronized (lines) {
            lines.add(line);
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The lines that it has written so far. */
    public List<String> log() {
        synchronized (lines) {
            return List.copyOf(lines);
        }
    }

    /** The first line so far that holds a text. */
    public Optional<String> line(String part) {
        return log().stream().filter(line -> line.contains(part)).findFirst();
    }

    /** Waits for a line that holds a text. */
    public String awaitLine(String part) throws InterruptedException {
        return await("a line with \"" + part + "\"", () -> line(part));
    }

    /** Waits until metrics and health are served, and says on which port. */
    public int awaitHttpPort() throws InterruptedException {
        String line = awaitLine("http listening");
        return Integer.parseInt(
                line.substring(line.indexOf(PORT) + PORT.length()).split(" ", 2)[0]);
    }

    /** Waits until a condition holds; the message of a failure says what was awaited. */
    public void awaitTrue(String what, StatusQuestion<Boolean> condition) throws InterruptedException {
        await(what, () -> Optional.of(condition.ask()).filter(holds -> holds));
    }

    /** Waits until there is a value; the message of a failure says what was awaited. */
    public <T> T await(String what, StatusQuestion<Optional<T>> question) throws InterruptedException {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (true) {
            boolean ended = !process.isAlive();
            if (ended) {
                reader.join(DRAIN_MS);
            }
            long asked = System.nanoTime();
            Optional<T> answer = answer(what, question);
            long took = System.nanoTime() - asked;
            if (answer.isPresent()) {
                return answer.get();
            }
            if (ended) {
                throw failure("expected " + what + ", but the agent ended with exit code " + process.exitValue());
            }
            if (System.nanoTime() > deadline) {
                throw failure("expected " + what + " within " + LONG.toSeconds() + " s");
            }
            Thread.sleep(Math.clamp(TimeUnit.NANOSECONDS.toMillis(took * COST), POLL_MS, LONGEST_POLL_MS));
        }
    }

    private <T> T answer(String what, StatusQuestion<T> question) {
        try {
            return question.ask();
        } catch (IOException unreadable) {
            throw failure("expected " + what + ", which cannot be read: " + unreadable);
        }
    }

    /** The exit code, where it has ended. */
    public OptionalInt exitCode() {
        return process.isAlive() ? OptionalInt.empty() : OptionalInt.of(process.exitValue());
    }

    /** Waits until it has ended by itself, and says the exit code. */
    public int awaitExit() throws InterruptedException {
        return awaitExit(LONG);
    }

    int awaitExit(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failure("expected the agent to end within " + limit.toSeconds() + " s");
        }
        reader.join(DRAIN_MS);
        return process.exitValue();
    }

    /** Sends SIGTERM, waits for the end, and says the exit code. */
    public int terminate() throws InterruptedException {
        return terminate(LONG);
    }

    /** Sends SIGTERM, waits so long for the end, and says the exit code. */
    public int terminate(Duration limit) throws InterruptedException {
        // Process.destroy would close the pipe too, and with it take what the agent says as it stops.
        process.toHandle().destroy();
        return awaitExit(limit);
    }

    /** Sends SIGKILL, as a crash would be, and waits for the end. */
    public void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** Sends SIGHUP, upon which the agent reads its configuration and its host again. */
    public void hangUp() throws IOException, InterruptedException {
        signal("HUP");
    }

    /** Sends a signal, by its name without SIG. */
    public void signal(String name) throws IOException, InterruptedException {
        int code = new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + pid())
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw failure("expected SIG" + name + " to be sent, but kill ended with exit code " + code);
        }
    }

    public ProcessUsage usage() throws IOException {
        return ProcessUsage.of(pid());
    }

    /** Ends it at once, if it still runs. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** A failure with the agent's log. */
    public IllegalStateException failure(String expected) {
        return new IllegalStateException(expected + "; the agent's log:\n  " + String.join("\n  ", log()));
    }

    /** Something that is asked until the answer is as awaited. */
    @FunctionalInterface
    public interface StatusQuestion<T> {
        T ask() throws IOException;
    }
}
