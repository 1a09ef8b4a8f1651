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
import io.imexagent.testing.workload.UserMistake;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;

/**
 * A life of the agent in short, from which the JVM learns which classes to keep ready: the host through the real mapping
 * of NVML, the API over TLS, both node services, health, metrics, an orderly end.
 *
 * <p>It uses the options that the agent runs with, for the JVM takes a cache only where they are the same.
 */
final class Training implements AutoCloseable {

    private static final String NODE = "tray-07";

    /** Of the agent's own classes at a start, some are made as it runs; of the rest most must come from the cache. */
    private static final double LEAST_SHARE = 0.9;

    /** The JVM assembles the cache as it ends: some ten seconds of processor time, which a busy machine stretches. */
    private static final Duration ASSEMBLY = Duration.ofMinutes(10);

    private static final String OWN = " io.imexagent.";
    private static final String CACHED = "source: shared objects file";

    private final Path cache;
    private final Scratch scratch;
    private final FakeHost host;
    private final ApiDoubleProcess api;
    private final Path configuration;

    private Training(Path cache, Scratch scratch, FakeHost host, ApiDoubleProcess api, Path configuration) {
        this.cache = cache;
        this.scratch = scratch;
        this.host = host;
        this.api = api;
        this.configuration = configuration;
    }

    /** Starts everything but the agent. */
    static Training prepare(Path cache) throws IOException, InterruptedException {
        Scratch scratch = Scratch.create();
        FakeHost host = FakeHost.create(scratch.directory());
        ApiDoubleProcess api = ApiDoubleProcess.start(scratch.directory(), NODE);
        FakeNvmlLibrary nvml = FakeNvmlLibrary.compile(scratch.directory().resolve("driver"));
        Path configuration = AgentSettings.of(host, NODE, api.kubeconfig())
                .without("nvml.simulate")
                .with("host.driverRoot", nvml.driverRoot().toString())
                .write(scratch.directory().resolve("config.yaml"));
        api.apply(Workload.together(List.of(
                Workload.cluster(NODE),
                workload(1).objects(),
                workload(2).objects(),
                UserMistake.ALLOCATION_MODE.objects(workload(3)))));
        return new Training(cache, scratch, host, api, configuration);
    }

    private static Workload workload(int number) {
        return new Workload("training", NODE, number);
    }

    /** Makes the cache and the gate's, proves that classes are taken from them, and says how many. */
    String train() throws IOException, InterruptedException {
        Files.deleteIfExists(cache);
        Path fresh = cache.resolveSibling(cache.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        var gate = new GateTraining(cache, scratch.directory(), configuration);
        gate.forget();
        String ofGate = gate.train();
        try (AgentProcess agent = AgentLaunch.run(configuration)
                .jvmOptions("-XX:AOTCacheOutput=" + fresh)
                .start()) {
            live(agent, Plugin.V1);
            agent.terminate(ASSEMBLY);
            if (!Files.exists(fresh)) {
                throw agent.failure("expected the JVM to leave a cache in " + fresh);
            }
        }
        Files.move(fresh, cache, StandardCopyOption.ATOMIC_MOVE);
        return prove() + "\n" + ofGate;
    }

    /** Everything that the agent does on most days. */
    private void live(AgentProcess agent, String service) throws IOException, InterruptedException {
        try (KubeletDouble kubelet = KubeletDouble.start(
                        KubeletOptions.in(host.kubeletRoot()).knowing(service));
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            kubelet.awaitEvent(KubeletEvent.Health.class, report -> true, AgentProcess.LONG);
            for (int number = 1; number <= 2; number++) {
                done(agent, kubelet.prepare(workload(number).claim()));
                done(agent, kubelet.prepare(workload(number).claim()));
                done(agent, kubelet.unprepare(workload(number).claim()));
            }
            if (kubelet.prepare(workload(3).claim()) instanceof ClaimResult.Done) {
                throw agent.failure("expected a claim with allocationMode All to be refused");
            }
            agent.awaitTrue("the agent to be ready", () -> ready(status));
            status.metrics();
            status.page("/inventory");
        }
    }

    private static boolean ready(StatusClient status) throws IOException {
        try {
            return status.page("/readyz").statusCode() == 200;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void done(AgentProcess agent, ClaimResult result) {
        if (result instanceof ClaimResult.Failed failed) {
            throw agent.failure("expected the claim to be served, but it was refused: " + failed.error());
        }
    }

    private String prove() throws IOException, InterruptedException {
        Path log = scratch.directory().resolve("classes");
        try (AgentProcess agent = AgentLaunch.run(configuration)
                .jvmOptions("-Xlog:class+load:file=" + log)
                .start()) {
            live(agent, Plugin.V1BETA1);
            agent.terminate();
        }
        List<String> loaded = Files.readAllLines(log);
        long own = loaded.stream().filter(line -> line.contains(OWN)).count();
        long ownCached = loaded.stream()
                .filter(line -> line.contains(OWN) && line.contains(CACHED))
                .count();
        long cached = loaded.stream().filter(line -> line.contains(CACHED)).count();
        if (own == 0 || (double) ownCached / own < LEAST_SHARE) {
            Files.delete(cache);
            throw new IOException("a start with " + cache + " takes only " + ownCached + " of the agent's " + own
                    + " classes from it; options of the JVM that differ make it drop the whole cache in silence");
        }
        return "class cache " + cache + ": " + Files.size(cache) / (1024 * 1024) + " MB; a start takes " + cached
                + " of " + loaded.size() + " classes from it, " + ownCached + " of the agent's own " + own;
    }

    @Override
    public void close() throws IOException {
        api.close();
        scratch.close();
    }
}
