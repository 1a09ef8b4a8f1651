package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.ApiDoubleProcess;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.Scratch;
import io.imexagent.testing.kubelet.Claim;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * One run of the benchmark. The agent is the built one, started through its executable, over the real mapping of NVML
 * onto a fake library; the API server double is a process of its own behind TLS; calls go over the real socket.
 */
public final class Bench implements AutoCloseable {

    private static final String NODE = "tray-07";
    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices?watch=true";
    private static final int WORKLOADS = 16;
    private static final int BATCH = 100;
    private static final int BATCHES = 5;
    private static final int UNMEASURED_STARTS = 2;
    private static final long POLL_NANOS = 500_000;
    private static final double KB_PER_MB = 1024;
    private static final Set<String> DISTRIBUTIONS = Set.of("prepare_ms", "unprepare_ms", "repeat_ms");

    private final BenchOptions options;
    private final Consumer<String> progress;
    private final Scratch scratch;
    private final FakeHost host;
    private final ApiDoubleProcess api;
    private final KubeletDouble kubelet;
    private final AgentSettings settings;
    private final Path configuration;
    private final List<Workload> workloads = new ArrayList<>();
    private final List<Claim> batch = new ArrayList<>();

    /** By their keys in the document. */
    private final Map<String, Samples> samples = new TreeMap<>();

    /** Starts everything but the agent. */
    public Bench(BenchOptions options, Consumer<String> progress) throws IOException {
        this.options = options;
        this.progress = progress;
        this.scratch = Scratch.onDisk();
        this.host = FakeHost.create(scratch.directory());
        this.api = ApiDoubleProcess.start(scratch.directory(), NODE, objects());
        this.settings = AgentSettings.of(host, NODE, api.kubeconfig())
                .withDriver(FakeNvmlLibrary.compile(scratch.directory().resolve("driver")));
        this.configuration = settings.write(scratch.directory().resolve("config.yaml"));
        this.kubelet = KubeletDouble.start(host.kubeletRoot());
    }

    private ObjectNode objects() {
        List<ObjectNode> objects = new ArrayList<>(List.of(Workload.cluster(NODE)));
        for (int number = 1; number <= WORKLOADS; number++) {
            Workload workload = new Workload("bench", NODE, number);
            workloads.add(workload);
            objects.add(workload.objects());
        }
        batch.add(workloads.getFirst().claim());
        List<Workload.Mistake> mistakes = List.of(Workload.Mistake.values());
        for (int number = WORKLOADS + 1; number < WORKLOADS + BATCH; number++) {
            Workload refused = new Workload("bench", NODE, number);
            batch.add(refused.claim());
            objects.add(refused.objects(mistakes.get(number % mistakes.size())));
        }
        return Workload.together(objects);
    }

    /** Measures everything. The keys of the document are stable. */
    public ObjectNode measure() throws IOException, InterruptedException {
        boolean cached = Files.exists(Checkout.find().image().resolve("imex-agent.aot"));
        progress.accept(
                "files on " + scratch.fileSystem() + ", class cache: " + (cached ? "yes" : "NO, see make image"));
        starts();
        try (AgentProcess agent = launch();
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            status.metrics();
            progress.accept("idle for " + options.idleSeconds + " s");
            Thread.sleep(Duration.ofSeconds(options.idleSeconds));
            ProcessUsage idle = usage("idle", agent);
            double processor = cycles(agent);
            for (int done = options.warmUp + options.cycles; done < options.total; done++) {
                cycle(done);
            }
            status.metrics();
            ProcessUsage afterTotal = usage("after all cycles", agent);
            repeats();
            batches();
            agent.terminate();
            ObjectNode document = document(processor, idle, afterTotal);
            installed(document);
            return document;
        }
    }

    private ObjectNode document(double processorMsPerCycle, ProcessUsage idle, ProcessUsage afterTotal) {
        ObjectNode document = Json.object().put("cpu_ms_per_cycle", Samples.rounded(processorMsPerCycle));
        samples.forEach((key, measured) -> {
            if (DISTRIBUTIONS.contains(key)) {
                document.set(key, measured.percentiles());
            } else {
                document.put(key, Samples.rounded(measured.median()));
            }
        });
        put(document.putObject("rss_mb"), idle.residentKb(), afterTotal.residentKb());
        put(document.putObject("pss_mb"), idle.proportionalKb(), afterTotal.proportionalKb());
        return document;
    }

    private static void put(ObjectNode memory, long idleKb, long afterTotalKb) {
        memory.put("idle", Samples.rounded(idleKb / KB_PER_MB))
                .put("after_3000", Samples.rounded(afterTotalKb / KB_PER_MB));
    }

    private Samples samples(String key) {
        return samples.computeIfAbsent(key, none -> new Samples());
    }

    private void installed(ObjectNode document) throws IOException, InterruptedException {
        Optional<Path> built = InstalledBench.builtPackage();
        if (built.isEmpty()) {
            progress.accept("the installed agent is not measured: there is no package, see make rpm");
        } else {
            Path folder = scratch.directory().resolve("package");
            document.set("installed", new InstalledBench(options, progress, built.get(), folder, settings).measure());
        }
    }

    private void starts() throws IOException, InterruptedException {
        for (int number = 0; number < UNMEASURED_STARTS + options.starts; number++) {
            api.deleteSlices(NODE);
            try (Stream<String> slices = api.watch(SLICES)) {
                start(slices, number >= UNMEASURED_STARTS);
            }
        }
        progress.accept("to sockets " + samples("to_sockets_ms"));
        progress.accept("to slice " + samples("to_slice_ms"));
        progress.accept("first call " + samples("first_call_ms"));
    }

    private void start(Stream<String> slices, boolean measured) throws IOException, InterruptedException {
        CompletableFuture<Long> published = CompletableFuture.supplyAsync(() -> {
            var _ = slices.filter(line -> line.contains("\"ADDED\""))
                    .findFirst()
                    .orElseThrow();
            return System.nanoTime();
        });
        long start = System.nanoTime();
        try (AgentProcess agent = launch()) {
            while (!Files.exists(host.registrationSocket())) {
                if (!agent.isAlive()) {
                    throw agent.failure("expected " + host.registrationSocket() + " to appear");
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
            long sockets = System.nanoTime() - start;
            agent.awaitTrue("a ResourceSlice", published::isDone);
            kubelet.awaitPlugin(AgentProcess.LONG);
            Claim claim = workloads.getFirst().claim();
            long call = timed(() -> prepared(kubelet.prepare(claim)));
            done(kubelet.unprepare(claim));
            if (measured) {
                samples("to_sockets_ms").add(sockets);
                samples("to_slice_ms").add(published.join() - start);
                samples("first_call_ms").add(call);
            }
            agent.terminate();
            kubelet.awaitNoPlugin(AgentProcess.LONG);
        }
    }

    /** Warms up and measures cycles, each followed by the floor, so that both meet the same noise. */
    private double cycles(AgentProcess agent) throws IOException, InterruptedException {
        progress.accept(options.warmUp + " cycles to warm up");
        for (int number = 0; number < options.warmUp; number++) {
            cycle(number);
        }
        Floor ground = floor();
        for (int number = 0; number < options.warmUp; number++) {
            ground.once();
        }
        progress.accept(options.cycles + " cycles to measure");
        Duration before = agent.usage().processor();
        for (int number = 0; number < options.cycles; number++) {
            Claim claim = workloads.get(number % WORKLOADS).claim();
            samples("prepare_ms").add(timed(() -> prepared(kubelet.prepare(claim))));
            samples("unprepare_ms").add(timed(() -> done(kubelet.unprepare(claim))));
            samples("floor_ms").add(timed(ground::once));
        }
        ProcessUsage after = usage("after " + (options.warmUp + options.cycles) + " cycles", agent);
        return (double) after.processor().minus(before).toMillis() / options.cycles;
    }

    private void cycle(int number) {
        Claim claim = workloads.get(number % WORKLOADS).claim();
        prepared(kubelet.prepare(claim));
        done(kubelet.unprepare(claim));
    }

    /** A floor with contents like those that the agent writes for one prepared claim. */
    private Floor floor() throws IOException {
        Claim claim = workloads.getFirst().claim();
        prepared(kubelet.prepare(claim));
        String path = "/apis/resource.k8s.io/v1/namespaces/" + claim.namespace() + "/resourceclaims/" + claim.name();
        Path spec = host.cdiFiles(claim.uid()).getFirst();
        var ground = new Floor(api, path, scratch.directory().resolve("floor"), host.checkpoint(), spec);
        done(kubelet.unprepare(claim));
        return ground;
    }

    private void repeats() throws IOException, InterruptedException {
        Claim claim = workloads.getFirst().claim();
        prepared(kubelet.prepare(claim));
        for (int number = 0; number < options.cycles; number++) {
            samples("repeat_ms").add(timed(() -> prepared(kubelet.prepare(claim))));
        }
        done(kubelet.unprepare(claim));
    }

    private void batches() throws IOException, InterruptedException {
        for (int number = 0; number < BATCHES; number++) {
            samples("batch100_ms").add(timed(() -> {
                Map<String, ClaimResult> results = kubelet.prepare(batch);
                long refused = results.values().stream()
                        .filter(ClaimResult.Failed.class::isInstance)
                        .count();
                if (results.size() != BATCH || refused != BATCH - 1) {
                    throw new IllegalStateException("expected 1 claim prepared and 99 refused, got " + results);
                }
            }));
            done(kubelet.unprepare(batch.getFirst()));
        }
        progress.accept("batches " + samples("batch100_ms"));
    }

    private AgentProcess launch() throws IOException {
        return AgentLaunch.run(configuration).start();
    }

    private static long timed(Step step) throws IOException, InterruptedException {
        long start = System.nanoTime();
        step.run();
        return System.nanoTime() - start;
    }

    private static void prepared(ClaimResult result) {
        if (!(result instanceof ClaimResult.Done(List<ClaimResult.Device> devices)) || devices.isEmpty()) {
            throw new IllegalStateException("expected the claim to be prepared, got " + result);
        }
    }

    private static void done(ClaimResult result) {
        if (result instanceof ClaimResult.Failed failed) {
            throw new IllegalStateException("expected the claim to be unprepared, got " + failed);
        }
    }

    private ProcessUsage usage(String when, AgentProcess agent) throws IOException {
        ProcessUsage usage = agent.usage();
        progress.accept(String.format(
                Locale.ROOT,
                "%s: RSS %d MB, PSS %d MB, anonymous %d MB, processor %d ms",
                when,
                usage.residentKb() / 1024,
                usage.proportionalKb() / 1024,
                usage.anonymousKb() / 1024,
                usage.processor().toMillis()));
        return usage;
    }

    @Override
    public void close() throws IOException {
        kubelet.close();
        api.close();
        scratch.close();
    }

    /** Something to time. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException, InterruptedException;
    }
}
