package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * Makes the gate's own class cache. The agent's has eight thousand classes, all of which a JVM makes ready before it
 * begins; the gate needs a twentieth of them, and runs at each start of nvidia-imex.
 *
 * <p>In two steps, for the launcher ends a gate after ten seconds, and making a cache may take longer: the gate runs and
 * notes what it loads, then a JVM that runs nothing makes the cache of the note.
 */
final class GateTraining {

    private static final String OWN = " io.imexagent.";
    private static final String CACHED = "source: shared objects file";
    private static final double LEAST_SHARE = 0.9;

    private final Path cache;
    private final Path note;
    private final Path log;
    private final Path configuration;

    /**
     * A training.
     *
     * @param agentsCache the agent's cache, beside which the gate's lies under a name that the launchers know
     * @param scratch a folder for files of its own
     * @param configuration that of a host on which nvidia-imex belongs
     */
    GateTraining(Path agentsCache, Path scratch, Path configuration) {
        this.cache = agentsCache.resolveSibling("imex-agent-gate.aot");
        this.note = scratch.resolve("gate.aotconfig");
        this.log = scratch.resolve("gate-classes");
        this.configuration = configuration;
    }

    /** Takes a cache away that there was: no JVM uses one and makes one. */
    void forget() throws IOException {
        Files.deleteIfExists(cache);
    }

    /** Makes the cache, proves that the gate takes its classes from it, and says how many. */
    String train() throws IOException, InterruptedException {
        Path fresh = cache.resolveSibling(cache.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        opens("-XX:AOTMode=record", "-XX:AOTConfiguration=" + note);
        try (AgentProcess maker = AgentLaunch.command("--version")
                .jvmOptions("-XX:AOTMode=create", "-XX:AOTConfiguration=" + note, "-XX:AOTCache=" + fresh)
                .start()) {
            if (maker.awaitExit() != 0 || !Files.exists(fresh)) {
                throw maker.failure("expected the JVM to leave a cache in " + fresh);
            }
        }
        Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        return prove();
    }

    private String prove() throws IOException, InterruptedException {
        opens("-Xlog:class+load:file=" + log);
        List<String> own = Files.readAllLines(log).stream()
                .filter(line -> line.contains(OWN))
                .toList();
        long cached = own.stream().filter(line -> line.contains(CACHED)).count();
        if (own.isEmpty() || (double) cached / own.size() < LEAST_SHARE) {
            Files.delete(cache);
            throw new IOException("a gate with " + cache + " takes only " + cached + " of its " + own.size()
                    + " classes from it; options of the JVM that differ make it drop the whole cache in silence");
        }
        return "class cache " + cache + ": " + Files.size(cache) / (1024 * 1024) + " MB; the gate takes " + cached
                + " of its own " + own.size() + " classes from it";
    }

    private void opens(String... jvmOptions) throws IOException, InterruptedException {
        try (AgentProcess gate = AgentLaunch.command("gate", "--unit", "--config", configuration.toString())
                .jvmOptions(jvmOptions)
                .start()) {
            int code = gate.awaitExit();
            if (code != 0) {
                throw gate.failure("expected the gate to let nvidia-imex start, but it ended with " + code);
            }
        }
    }
}
