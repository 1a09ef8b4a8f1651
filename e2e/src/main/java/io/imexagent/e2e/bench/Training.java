package io.imexagent.e2e.bench;

import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.ApiDoubleProcess;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.Scratch;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.kubelet.KubeletEvent;
import io.imexagent.testing.kubelet.KubeletOptions;
import io.imexagent.testing.kubelet.Plugin;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * Makes the class caches. The agent's comes from a life of the agent in short, from which the JVM learns which classes to
 * keep ready: the host through the real mapping of NVML, the API over TLS, both node services, health, metrics, an orderly
 * end. That cache has eight thousand classes, all of which a JVM makes ready before it begins; the gate needs a twentieth
 * of them, and runs at each start of nvidia-imex, so it has a cache of its own.
 *
 * <p>Both are made with the options that the agent runs with, for the JVM takes a cache only where they are the same.
 */
public final class Training implements AutoCloseable {

    private static final String NODE = "tray-07";

    /** Of the agent's own classes at a start, some are made as it runs; of the rest most must come from the cache. */
    private static final double LEAST_SHARE = 0.9;

    /** To note classes, and to make the cache, takes some ten seconds of processor time; a busy machine stretches them. */
    private static final Duration ASSEMBLY = Duration.ofMinutes(10);

    private static final String OWN = " io.imexagent.";
    private static final String CACHED = "source: shared objects file";

    private final Path cache;
    private final Path gateCache;
    private final Scratch scratch = Scratch.create();
    private final FakeHost host = FakeHost.create(scratch.directory());
    private final ApiDoubleProcess api = ApiDoubleProcess.start(
            scratch.directory(),
            NODE,
            Workload.together(List.of(
                    Workload.cluster(NODE),
                    workload(1).objects(),
                    workload(2).objects(),
                    workload(3).objects(Workload.Mistake.ALLOCATION_MODE))));
    private final Path configuration;

    /** Starts everything but the agent; the gate's cache lies beside the agent's, by a name that the launchers know. */
    public Training(Path cache) throws IOException {
        this.cache = cache;
        this.gateCache = cache.resolveSibling("imex-agent-gate.aot");
        this.configuration = AgentSettings.of(host, NODE, api.kubeconfig())
                .withDriver(FakeNvmlLibrary.compile(scratch.directory().resolve("driver")))
                .write(scratch.directory().resolve("config.yaml"));
    }

    private static Workload workload(int number) {
        return new Workload("training", NODE, number);
    }

    /** Makes the caches, proves that classes are taken from them, and says how many. A JVM that uses one makes none. */
    public String train() throws IOException, InterruptedException {
        Files.deleteIfExists(cache);
        Files.deleteIfExists(gateCache);
        String ofGate = make(
                gateCache,
                "the gate",
                (options, _) -> AgentLaunch.command("gate", "--unit", "--config", configuration.toString())
                        .runtimeOptions(options)
                        .runToEnd());
        return make(cache, "a start", this::live) + "\n" + ofGate;
    }

    /** What a program does with these options of the JVM, as long as it lives. */
    private interface Life {
        void live(String[] options, String service) throws IOException, InterruptedException;
    }

    /**
     * A JVM notes what it loads, and one that runs nothing makes the cache of the note. In one step a JVM would start
     * another one as it ends: for that the launcher gives a gate no time, and under emulation it cannot.
     */
    private String make(Path cache, String who, Life life) throws IOException, InterruptedException {
        Path note = scratch.directory().resolve(cache.getFileName() + ".config");
        Path log = scratch.directory().resolve(cache.getFileName() + ".classes");
        Path fresh = cache.resolveSibling(cache.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        life.live(new String[] {"-XX:AOTMode=record", "-XX:AOTConfiguration=" + note}, Plugin.V1);
        AgentProcess maker = AgentLaunch.command("--version")
                .runtimeOptions("-XX:AOTMode=create", "-XX:AOTConfiguration=" + note, "-XX:AOTCache=" + fresh)
                .runToEnd(ASSEMBLY);
        if (!Files.exists(fresh)) {
            throw maker.failure("expected the JVM to leave a cache in " + fresh);
        }
        Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        life.live(new String[] {"-Xlog:class+load:file=" + log}, Plugin.V1BETA1);
        return proved(cache, who, log);
    }

    /** Everything that the agent does on most days. */
    private void live(String[] options, String service) throws IOException, InterruptedException {
        try (AgentProcess agent =
                AgentLaunch.run(configuration).runtimeOptions(options).start()) {
            try (KubeletDouble kubelet = KubeletDouble.start(
                            KubeletOptions.in(host.kubeletRoot()).knowing(service));
                    StatusClient status = new StatusClient(agent.awaitHttpPort())) {
                kubelet.awaitPlugin(AgentProcess.LONG);
                kubelet.awaitEvent(KubeletEvent.HealthReported.class, report -> true, AgentProcess.LONG);
                for (int number = 1; number <= 2; number++) {
                    done(agent, kubelet.prepare(workload(number).claim()));
                    done(agent, kubelet.prepare(workload(number).claim()));
                    done(agent, kubelet.unprepare(workload(number).claim()));
                }
                if (kubelet.prepare(workload(3).claim()) instanceof ClaimResult.ClaimDone) {
                    throw agent.failure("expected a claim with allocationMode All to be refused");
                }
                agent.awaitTrue("the agent to be ready", status::ready);
                status.metrics();
                status.page("/inventory");
            }
            agent.terminate(ASSEMBLY);
        }
    }

    private static void done(AgentProcess agent, ClaimResult result) {
        if (result instanceof ClaimResult.ClaimFailed failed) {
            throw agent.failure("expected the claim to be served, but it was refused: " + failed.error());
        }
    }

    /** Says how much of what was loaded came from the cache; deletes it where that is too little. */
    private static String proved(Path cache, String who, Path log) throws IOException {
        List<String> loaded = Files.readAllLines(log);
        List<String> own = loaded.stream().filter(line -> line.contains(OWN)).toList();
        long ownCached = own.stream().filter(line -> line.contains(CACHED)).count();
        long cached = loaded.stream().filter(line -> line.contains(CACHED)).count();
        if (own.isEmpty() || (double) ownCached / own.size() < LEAST_SHARE) {
            Files.delete(cache);
            throw new IOException(who + " with " + cache + " takes only " + ownCached + " of the agent's " + own.size()
                    + " classes from it; options of the JVM that differ make it drop the whole cache in silence");
        }
        return "class cache %s: %d MB; %s takes %d of %d classes from it, %d of the agent's own %d"
                .formatted(cache, Files.size(cache) / (1024 * 1024), who, cached, loaded.size(), ownCached, own.size());
    }

    @Override
    public void close() throws IOException {
        api.close();
        scratch.close();
    }
}
