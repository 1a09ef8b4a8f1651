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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * What an agent does for one call, beside the time that it takes: how often its threads wait for one another or for the
 * kernel, which classes it loads, and what it allocates.
 */
final class Steps {

    private static final String WAITS = "voluntary_ctxt_switches:";
    private static final String POOL = "jvm_memory_used_bytes{area=\"heap\",";

    /** The collectors of HotSpot and of native images begin its name with different letters. */
    private static final String EDEN = "den space\"";

    private final AgentProcess agent;
    private final StatusClient status;
    private final Optional<Path> loaded;

    /** Of an agent with the options of {@link #options} for this file. */
    Steps(AgentProcess agent, StatusClient status, Optional<Path> loaded) {
        this.agent = agent;
        this.status = status;
        this.loaded = loaded;
    }

    /** HotSpot writes what it loads to the file, and the young generation has room for all that is allocated meanwhile. */
    static String[] options(Optional<Path> loaded) {
        List<String> options = new ArrayList<>(List.of("-Xmn40m", "-Xms96m", "-Xmx96m"));
        loaded.ifPresent(file -> options.add("-Xlog:class+load:file=" + file));
        return options.toArray(String[]::new);
    }

    /** The figures of a call; what only a JVM has, or what the agent's page does not have, is left out. */
    ObjectNode of(Runnable call) throws IOException {
        boolean counts = eden().isPresent();
        double page = Double.MAX_VALUE;
        double used = eden().orElse(0);
        for (int look = 0; look < 3; look++) {
            double now = eden().orElse(0);
            page = Math.min(page, now - used);
            used = now;
        }
        long classes = loaded.isPresent() ? classes(loaded.get()) : 0;
        Map<Path, Long> before = waits();
        call.run();
        long waits = waits().entrySet().stream()
                .mapToLong(task -> task.getValue() - before.getOrDefault(task.getKey(), 0L))
                .sum();
        // What the page itself allocates is taken off.
        double allocated = Math.max(eden().orElse(0) - used - page, 0);
        ObjectNode figures = Json.object().put("waits", waits);
        if (loaded.isPresent()) {
            figures.put("classes", classes(loaded.get()) - classes);
        }
        return counts ? figures.put("allocated_kb", Math.round(allocated / 1024)) : figures;
    }

    /** The classes that were loaded by an agent that has written this file. */
    static long classes(Path loaded) throws IOException {
        try (Stream<String> lines = Files.lines(loaded)) {
            return lines.filter(line -> line.contains("source:")).count();
        }
    }

    private OptionalDouble eden() throws IOException {
        return status.metrics().entrySet().stream()
                .filter(series -> series.getKey().startsWith(POOL)
                        && series.getKey().toLowerCase(Locale.ROOT).contains(EDEN))
                .mapToDouble(Map.Entry::getValue)
                .findFirst();
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
