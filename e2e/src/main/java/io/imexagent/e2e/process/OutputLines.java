package io.imexagent.e2e.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** What a process has written so far, line by line, collected by a thread of its own. */
final class OutputLines {

    private final List<String> lines = new ArrayList<>();
    private final Thread reader;

    /** Reads until the process closes its output, and passes each line on. */
    OutputLines(String name, BufferedReader source, Consumer<String> listener) {
        reader = Thread.ofPlatform().daemon().name("output-" + name).start(() -> read(source, listener));
    }

    private void read(BufferedReader source, Consumer<String> listener) {
        try (source) {
            String line = source.readLine();
            while (line != null) {
                add(line);
                listener.accept(line);
                line = source.readLine();
            }
        } catch (IOException closed) {
            add("(the output ended: " + closed.getMessage() + ")");
        } catch (UncheckedIOException closed) {
            add("(the output could not be passed on: " + closed.getMessage() + ")");
        }
    }

    private synchronized void add(String line) {
        lines.add(line);
    }

    synchronized List<String> all() {
        return List.copyOf(lines);
    }

    synchronized Optional<String> first(Predicate<String> wanted) {
        return lines.stream().filter(wanted).findFirst();
    }

    /** Waits until all that an ended process wrote is here. */
    void drain() throws InterruptedException {
        reader.join(10_000);
    }
}
