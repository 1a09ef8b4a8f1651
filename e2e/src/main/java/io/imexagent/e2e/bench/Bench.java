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
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.math.BigDecimal;
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
import java.util.function.ToLongFunction;
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
    private static final Set<String> DISTRIBUTIONS =
            Set.of("prepare_ms", "unprepare_ms", "repeat_ms", "cold_prepare_ms", "cold_unprepare_ms");

    /** A node prepares a dozen claims a day, so that these are most that an agent sees in its life. */
    private static final int COLD = 50;

    private final BenchOptions options;
    private final Consumer<String> progress;
    private final Scratch scratch;
    private final Scratch memory;
    private final FakeHost host;
    private final ApiDoubleProcess api;
    private final KubeletDouble kubelet;
    private final AgentSettings settings;
    private final Path configuration;
    private final List<Workload> workloads = new ArrayList<>();
    private final List<KubeletClaimRequest> batch = new ArrayList<>();
    private final ObjectNode calls = Json.object();
    private final ObjectNode steps = Json.object();
    private final Optional<InstalledAgent> installed;
    private final boolean onHotSpot;
    private Optional<Floor> floor = Optional.empty();
    private long threads;

    /** By their keys in the document. */
    private final Map<String, Samples> samples = new TreeMap<>();

    /** Starts everything but the agent. */
    public Bench(BenchOptions options, Consumer<String> progress) throws IOException, InterruptedException {
        this.options = options;
        this.progress = progress;
        this.scratch = Scratch.onDisk();
        this.memory = Scratch.inMemory();
        this.host = FakeHost.create(scratch.directory());
        this.api = ApiDoubleProcess.start(scratch.directory(), NODE, objects());
        // As on a host, where CDI specs lie below /var/run.
        this.settings = AgentSettings.of(host, NODE, api.kubeconfig())
                .with("cdi.directory", memory.directory().toString())
                .withDriver(FakeNvmlLibrary.compile(scratch.directory().resolve("driver")));
        this.configuration = settings.write(scratch.directory().resolve("config.yaml"));
        this.kubelet = KubeletDouble.start(host.kubeletRoot());
        Optional<Path> built = InstalledAgent.builtPackage();
        if (built.isEmpty() && options.ofPackage) {
            throw new IOException("there is no package to measure; make rpm builds it");
        }
        this.installed = built.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        InstalledAgent.unpack(built.get(), scratch.directory().resolve("package/installed")));
        this.onHotSpot = launch().isOnHotSpot();
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
        boolean cached = options.ofPackage
                || Checkout.another()
                || Files.exists(Checkout.find().image().resolve("imex-agent.aot"));
        progress.accept("files on " + scratch.fileSystem() + ", CDI specs on " + memory.fileSystem() + ", "
                + (options.ofPackage ? "the package" : Checkout.find().executable()) + " on "
                + (onHotSpot ? "HotSpot" : "no JVM") + (cached ? "" : " WITHOUT its class cache, see make image"));
        begin();
        starts();
        try (AgentProcess agent = launch().start();
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            status.metrics();
            progress.accept("idle for " + options.idleSeconds + " s");
            Thread.sleep(Duration.ofSeconds(options.idleSeconds));
            ProcessUsage idle = usage("idle", agent);
            threads = ProcessUsage.threads(agent.pid());
            for (int number = 0; number < options.young; number++) {
                cycle(number);
            }
            ProcessUsage young = usage("after " + options.young + " cycles", agent);
            double processor = cycles(agent);
            for (int done = Math.max(options.young, options.warmUp) + options.cycles; done < options.total; done++) {
                cycle(done);
            }
            status.metrics();
            ProcessUsage afterTotal = usage("after all cycles", agent);
            repeats();
            batches();
            agent.terminate();
            ObjectNode document = document(processor, idle, young, afterTotal);
            installed(document);
            return document;
        }
    }

    private ObjectNode document(
            double processorMsPerCycle, ProcessUsage idle, ProcessUsage young, ProcessUsage afterTotal) {
        ObjectNode document = Json.object()
                .put("agent", onHotSpot ? Targets.HOTSPOT : Targets.IMAGE)
                .put("cpu_ms_per_cycle", Samples.rounded(processorMsPerCycle));
        samples.forEach((key, measured) -> {
            if (DISTRIBUTIONS.contains(key)) {
                document.set(key, measured.percentiles());
            } else {
                document.put(key, Samples.rounded(measured.median()));
            }
        });
        document.set("api_calls", calls);
        document.setAll(steps);
        document.put("threads", threads);
        Map<String, ToLongFunction<ProcessUsage>> kinds = Map.of(
                "rss_mb", ProcessUsage::residentKb,
                "pss_mb", ProcessUsage::proportionalKb,
                "private_mb", ProcessUsage::anonymousKb,
                "file_mb", ProcessUsage::fileKb);
        kinds.forEach((key, kilobytes) -> document.putObject(key)
                .put("idle", megabytes(kilobytes.applyAsLong(idle)))
                .put("after_200", megabytes(kilobytes.applyAsLong(young)))
                .put("after_3000", megabytes(kilobytes.applyAsLong(afterTotal))));
        return document;
    }

    private static BigDecimal megabytes(long kilobytes) {
        return Samples.rounded(kilobytes / KB_PER_MB);
    }

    private Samples samples(String key) {
        return samples.computeIfAbsent(key, none -> new Samples());
    }

    private void installed(ObjectNode document) throws IOException, InterruptedException {
        boolean isAnother = Checkout.another() && !options.ofPackage;
        if (installed.isEmpty() && !isAnother) {
            progress.accept("the installed agent is not measured: there is no package, see make rpm");
        } else {
            Optional<InstalledAgent> agent = isAnother ? Optional.empty() : installed;
            Path folder = scratch.directory().resolve("package");
            document.set("installed", new InstalledBench(options, progress, agent, folder, settings).measure());
        }
    }

    /** A start whose time nobody takes: what it calls and loads, and what a checkpoint looks like. */
    private void begin() throws IOException, InterruptedException {
        Optional<Path> loaded =
                Optional.of(scratch.directory().resolve("classes.log")).filter(file -> onHotSpot);
        try (AgentProcess agent = launch().runtimeOptions(Steps.options(loaded)).start();
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            KubeletClaimRequest first = workloads.getFirst().claim();
            var counted = new Steps(agent, status, loaded);
            steps.set("first_steps", counted.of(() -> prepared(kubelet.prepare(first))));
            String path =
                    "/apis/resource.k8s.io/v1/namespaces/" + first.namespace() + "/resourceclaims/" + first.name();
            floor = Optional.of(new Floor(api, path, scratch.directory().resolve("floor"), host.checkpoint()));
            done(kubelet.unprepare(first));
            for (int number = 1; number < COLD - 1; number++) {
                cycle(0);
            }
            steps.set("fiftieth_steps", counted.of(() -> prepared(kubelet.prepare(first))));
            done(kubelet.unprepare(first));
            KubeletClaimRequest second = workloads.get(1).claim();
            for (String domain : List.of("domain_unknown", "domain_known")) {
                double before = reads(status);
                prepared(kubelet.prepare(second));
                calls.put(domain, (int) (reads(status) - before));
                done(kubelet.unprepare(second));
            }
            agent.terminate();
        }
        if (loaded.isPresent()) {
            steps.put("classes", Steps.classes(loaded.get()));
        }
        kubelet.awaitNoPlugin(AgentProcess.LONG);
    }

    /** The reads of single objects, which are a prepare's: nothing else of a settled agent makes any. */
    private static double reads(StatusClient status) throws IOException {
        return status.metrics().entrySet().stream()
                .filter(series -> series.getKey().startsWith("imex_agent_api_requests_total{")
                        && series.getKey().contains("verb=\"get\""))
                .mapToDouble(Map.Entry::getValue)
                .sum();
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
        progress.accept("longest of the first " + COLD + " " + samples("cold_longest_ms"));
    }

    private void start(Stream<String> slices, boolean measured) throws IOException, InterruptedException {
        CompletableFuture<Long> published = CompletableFuture.supplyAsync(() -> {
            var _ = slices.filter(line -> line.contains("\"ADDED\""))
                    .findFirst()
                    .orElseThrow();
            return System.nanoTime();
        });
        long start = System.nanoTime();
        try (AgentProcess agent = launch().start()) {
            while (!Files.exists(host.registrationSocket())) {
                if (!agent.isAlive()) {
                    throw agent.failure("expected " + host.registrationSocket() + " to appear");
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
            long sockets = System.nanoTime() - start;
            agent.awaitTrue("a ResourceSlice", published::isDone);
            kubelet.awaitPlugin(AgentProcess.LONG);
            if (measured) {
                samples("to_sockets_ms").add(sockets);
                samples("to_slice_ms").add(published.join() - start);
                young(agent);
            }
            agent.terminate();
            kubelet.awaitNoPlugin(AgentProcess.LONG);
        }
    }

    /** The first cycles after a start. */
    private void young(AgentProcess agent) throws IOException, InterruptedException {
        Samples prepares = new Samples();
        Duration before = agent.usage().processor();
        for (int number = 0; number < options.young; number++) {
            if (number < COLD) {
                prepares.add(measuredCycle(number, "cold_"));
            } else {
                cycle(number);
            }
        }
        double took = agent.usage().processor().minus(before).toMillis();
        samples("cold_cpu_ms_per_cycle").addFigure(took / options.young);
        samples("first_call_ms").addFigure(prepares.first());
        samples("cold_longest_ms").addFigure(prepares.percentile(100));
    }

    /** Warms up and measures cycles, each followed by the floor, so that both meet the same noise. */
    private double cycles(AgentProcess agent) throws IOException, InterruptedException {
        for (int number = options.young; number < options.warmUp; number++) {
            cycle(number);
        }
        progress.accept(options.cycles + " cycles to measure");
        Duration before = agent.usage().processor();
        for (int number = 0; number < options.cycles; number++) {
            measuredCycle(number, "");
        }
        ProcessUsage after = usage("after the measured cycles", agent);
        return (double) after.processor().minus(before).toMillis() / options.cycles;
    }

    /** One cycle and the floor after it, into the samples whose keys begin so; the nanoseconds of the prepare. */
    private long measuredCycle(int number, String prefix) throws IOException, InterruptedException {
        Floor ground = floor.orElseThrow();
        KubeletClaimRequest claim = workloads.get(number % WORKLOADS).claim();
        long prepare = timed(() -> prepared(kubelet.prepare(claim)));
        samples(prefix + "prepare_ms").add(prepare);
        samples(prefix + "unprepare_ms").add(timed(() -> done(kubelet.unprepare(claim))));
        long read = timed(ground::read);
        long replace = timed(ground::replace);
        samples(prefix + "floor_ms").add(read + replace);
        samples(prefix + "replace_ms").add(replace);
        return prepare;
    }

    private void cycle(int number) {
        KubeletClaimRequest claim = workloads.get(number % WORKLOADS).claim();
        prepared(kubelet.prepare(claim));
        done(kubelet.unprepare(claim));
    }

    private void repeats() throws IOException, InterruptedException {
        KubeletClaimRequest claim = workloads.getFirst().claim();
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
                        .filter(ClaimResult.ClaimFailed.class::isInstance)
                        .count();
                if (results.size() != BATCH || refused != BATCH - 1) {
                    throw new IllegalStateException("expected 1 claim prepared and 99 refused, got " + results);
                }
            }));
            done(kubelet.unprepare(batch.getFirst()));
        }
        progress.accept("batches " + samples("batch100_ms"));
    }

    private AgentLaunch launch() {
        return options.ofPackage
                ? installed.orElseThrow().launch("run", "--config", configuration.toString())
                : AgentLaunch.run(configuration);
    }

    private static long timed(BenchStep step) throws IOException, InterruptedException {
        long start = System.nanoTime();
        step.run();
        return System.nanoTime() - start;
    }

    private static void prepared(ClaimResult result) {
        if (!(result instanceof ClaimResult.ClaimDone(List<ClaimResult.ClaimDevice> devices)) || devices.isEmpty()) {
            throw new IllegalStateException("expected the claim to be prepared, got " + result);
        }
    }

    private static void done(ClaimResult result) {
        if (result instanceof ClaimResult.ClaimFailed failed) {
            throw new IllegalStateException("expected the claim to be unprepared, got " + failed);
        }
    }

    private ProcessUsage usage(String when, AgentProcess agent) throws IOException {
        ProcessUsage usage = agent.usage();
        progress.accept(String.format(
                Locale.ROOT,
                "%s: RSS %d MB, PSS %d MB, private %d MB, of files %d MB, processor %d ms",
                when,
                usage.residentKb() / 1024,
                usage.proportionalKb() / 1024,
                usage.anonymousKb() / 1024,
                usage.fileKb() / 1024,
                usage.processor().toMillis()));
        return usage;
    }

    @Override
    public void close() throws IOException {
        kubelet.close();
        api.close();
        memory.close();
        scratch.close();
    }

    @FunctionalInterface
    private interface BenchStep {
        void run() throws IOException, InterruptedException;
    }
}
