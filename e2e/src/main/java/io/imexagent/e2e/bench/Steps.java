package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What an agent does for one call, beside the time that it takes: how often its threads wait for one another or for the
 * kernel, which classes it loads, and what it allocates.
 */
final class Steps {

    private static final String WAITS = "voluntary_ctxt_switches:";
    private static final String EDEN = "jvm_memory_used_bytes{area=\"heap\",id=\"Eden Space\"}";

    private final AgentProcess agent;
    private final StatusClient status;
    private final Path loaded;

    /** Of an agent with the options of {@link #options} for this file. */
    Steps(AgentProcess agent, StatusClient status, Path loaded) {
        this.agent = agent;
        this.status = status;
        this.loaded = loaded;
    }

    /** What is loaded is written to a file, and the young generation has room for all that is allocated meanwhile. */
    static String[] options(Path loaded) {
        return new String[] {"-Xlog:class+load:file=" + loaded, "-Xmn40m", "-Xms96m", "-Xmx96m"};
    }

    ObjectNode of(Runnable call) throws IOException {
        double page = Double.MAX_VALUE;
        double used = eden();
        for (int look = 0; look < 3; look++) {
            double now = eden();
            page = Math.min(page, now - used);
            used = now;
        }
        long classes = classes(loaded);
        Map<Path, Long> before = waits();
        call.run();
        long waits = waits().entrySet().stream()
                .mapToLong(task -> task.getValue() - before.getOrDefault(task.getKey(), 0L))
                .sum();
        // What the page itself allocates is taken off.
        double allocated = Math.max(eden() - used - page, 0);
        return Json.object()
                .put("waits", waits)
                .put("classes", classes(loaded) - classes)
                .put("allocated_kb", Math.round(allocated / 1024));
    }

    /** The classes that were loaded by an agent that has written this file. */
    static long classes(Path loaded) throws IOException {
        try (Stream<String> lines = Files.lines(loaded)) {
            return lines.filter(line -> line.contains("source:")).count();
        }
    }

    private double eden() throws IOException {
        return status.metrics().getOrDefault(EDEN, 0.0);
    }

    /** How often each of the process's threads has given up a processor by itself so far; see {@code proc(5)}. */
    private Map<Path, Long> waits() throws IOException {
        Map<Path, Long> waits = new HashMap<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(agent.pid()), "task"))) {
            for (Path task : tasks.toList()) {
                try (Stream<String> lines = Files.lines(task.resolve("status"))) {
                    lines.filter(line -> line.startsWith(WAITS))
                            .map(line ->
                                    Long.valueOf(line.substring(WAITS.length()).strip()))
                            .forEach(count -> waits.put(task, count));
                } catch (NoSuchFileException | UncheckedIOException ended) {
                    // A thread that has just ended counts no more.
                    waits.remove(task);
                }
            }
        }
        return waits;
    }
}
