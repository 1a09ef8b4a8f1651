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
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.Scratch;
import io.imexagent.testing.kubelet.Claim;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.UserMistake;
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
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * One run of the benchmark. The agent is the built one, started through its executable, over the real mapping of NVML
 * onto a fake library; the API server double is a process of its own behind TLS; calls go over the real socket.
 */
final class Bench implements AutoCloseable {

    private static final String NODE = "tray-07";
    private static final int WORKLOADS = 16;
    private static final int BATCH = 100;
    private static final int BATCHES = 5;
    private static final int UNMEASURED_STARTS = 2;
    private static final long POLL_NANOS = 500_000;

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

    private final Samples prepare = new Samples();
    private final Samples unprepare = new Samples();
    private final Samples repeat = new Samples();
    private final Samples firstCall = new Samples();
    private final Samples batches = new Samples();
    private final Samples toSockets = new Samples();
    private final Samples toSlice = new Samples();
    private final Samples floor = new Samples();

    private Bench(
            BenchOptions options,
            Consumer<String> progress,
            Scratch scratch,
            FakeHost host,
            ApiDoubleProcess api,
            KubeletDouble kubelet,
            AgentSettings settings)
            throws IOException {
        this.options = options;
        this.progress = progress;
        this.scratch = scratch;
        this.host = host;
        this.api = api;
        this.kubelet = kubelet;
        this.settings = settings;
        this.configuration = settings.write(scratch.directory().resolve("config.yaml"));
    }

    /** Starts everything but the agent. */
    static Bench prepare(BenchOptions options, Consumer<String> progress) throws IOException, InterruptedException {
        Scratch scratch = Scratch.onDisk();
        FakeHost host = FakeHost.create(scratch.directory());
        ApiDoubleProcess api = ApiDoubleProcess.start(scratch.directory(), NODE);
        FakeNvmlLibrary nvml = FakeNvmlLibrary.compile(scratch.directory().resolve("driver"));
        AgentSettings settings = AgentSettings.of(host, NODE, api.kubeconfig())
                .without("nvml.simulate")
                .with("host.driverRoot", nvml.driverRoot().toString());
        KubeletDouble kubelet = KubeletDouble.start(host.kubeletRoot());
        Bench bench = new Bench(options, progress, scratch, host, api, kubelet, settings);
        bench.seed();
        return bench;
    }

    private void seed() throws IOException, InterruptedException {
        List<ObjectNode> objects = new ArrayList<>(List.of(Workload.cluster(NODE)));
        for (int number = 1; number <= WORKLOADS; number++) {
            Workload workload = new Workload("bench", NODE, number);
            workloads.add(workload);
            objects.add(workload.objects());
        }
        batch.add(workloads.getFirst().claim());
        List<UserMistake> mistakes = List.of(UserMistake.values());
        for (int number = WORKLOADS + 1; number < WORKLOADS + BATCH; number++) {
            Workload refused = new Workload("bench", NODE, number);
            batch.add(refused.claim());
            objects.add(mistakes.get(number % mistakes.size()).objects(refused));
        }
        api.apply(Workload.together(objects));
    }

    /** Measures everything. */
    Measurements measure() throws IOException, InterruptedException {
        boolean cached = Files.exists(Checkout.find().image().resolve("imex-agent.aot"));
        progress.accept(
                "files on " + scratch.fileSystem() + ", class cache: " + (cached ? "yes" : "NO, see make image"));
        starts();
        try (AgentProcess agent = launch();
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            status.metrics();
            progress.accept("idle for " + options.idleSeconds() + " s");
            Thread.sleep(Duration.ofSeconds(options.idleSeconds()));
            ProcessUsage idle = agent.usage();
            tell("idle", idle);
            double processor = cycles(agent);
            for (int done = options.warmUp() + options.cycles(); done < options.total(); done++) {
                cycle(workloads.get(done % WORKLOADS));
            }
            status.metrics();
            ProcessUsage afterTotal = agent.usage();
            tell("after all cycles", afterTotal);
            repeats();
            batches();
            agent.terminate();
            return new Measurements(
                    prepare,
                    unprepare,
                    repeat,
                    firstCall,
                    batches,
                    toSockets,
                    toSlice,
                    floor,
                    processor,
                    idle,
                    afterTotal,
                    installed());
        }
    }

    private Optional<InstalledFigures> installed() throws IOException, InterruptedException {
        Optional<Path> built = InstalledAgent.builtPackage();
        if (built.isEmpty()) {
            progress.accept("the installed agent is not measured: there is no package, see make rpm");
            return Optional.empty();
        }
        return Optional.of(InstalledBench.prepare(options, progress, built.get(), scratch, settings)
                .measure());
    }

    private void starts() throws IOException, InterruptedException {
        try (SliceWatch slices = new SliceWatch(api)) {
            for (int number = 0; number < UNMEASURED_STARTS + options.starts(); number++) {
                api.deleteSlices(NODE);
                slices.forget();
                start(slices, number >= UNMEASURED_STARTS);
            }
        }
        progress.accept("to sockets " + texts(toSockets));
        progress.accept("to slice " + texts(toSlice));
        progress.accept("first call " + texts(firstCall));
    }

    private void start(SliceWatch slices, boolean measured) throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (AgentProcess agent = launch()) {
            while (!Files.exists(host.registrationSocket())) {
                if (!agent.isAlive()) {
                    throw agent.failure("expected " + host.registrationSocket() + " to appear");
                }
                LockSupport.parkNanos(POLL_NANOS);
            }
            long sockets = System.nanoTime() - start;
            long slice = slices.await() - start;
            kubelet.awaitPlugin(AgentProcess.LONG);
            Claim claim = workloads.getFirst().claim();
            long call = timed(() -> prepared(kubelet.prepare(claim)));
            done(kubelet.unprepare(claim));
            if (measured) {
                toSockets.add(sockets);
                toSlice.add(slice);
                firstCall.add(call);
            }
            agent.terminate();
            kubelet.awaitNoPlugin(AgentProcess.LONG);
        }
    }

    /** Warms up and measures cycles, each followed by the floor, so that both meet the same noise. */
    private double cycles(AgentProcess agent) throws IOException, InterruptedException {
        progress.accept(options.warmUp() + " cycles to warm up");
        for (int number = 0; number < options.warmUp(); number++) {
            cycle(workloads.get(number % WORKLOADS));
        }
        Floor ground = floor();
        for (int number = 0; number < options.warmUp(); number++) {
            ground.once();
        }
        progress.accept(options.cycles() + " cycles to measure");
        Duration before = agent.usage().processor();
        for (int number = 0; number < options.cycles(); number++) {
            Claim claim = workloads.get(number % WORKLOADS).claim();
            prepare.add(timed(() -> prepared(kubelet.prepare(claim))));
            unprepare.add(timed(() -> done(kubelet.unprepare(claim))));
            floor.add(timed(ground::once));
        }
        Duration processor = agent.usage().processor().minus(before);
        tell("after " + (options.warmUp() + options.cycles()) + " cycles", agent.usage());
        return (double) processor.toMillis() / options.cycles();
    }

    private void cycle(Workload workload) {
        prepared(kubelet.prepare(workload.claim()));
        done(kubelet.unprepare(workload.claim()));
    }

    /** A floor with contents like those that the agent writes for one prepared claim. */
    private Floor floor() throws IOException {
        Claim claim = workloads.getFirst().claim();
        prepared(kubelet.prepare(claim));
        byte[] checkpoint = Files.readAllBytes(host.checkpoint());
        byte[] spec = Files.readAllBytes(host.cdiFiles(claim.uid()).getFirst());
        done(kubelet.unprepare(claim));
        String path = "/apis/resource.k8s.io/v1/namespaces/" + claim.namespace() + "/resourceclaims/" + claim.name();
        return new Floor(api, path, scratch.directory().resolve("floor"), checkpoint, spec);
    }

    private void repeats() throws IOException, InterruptedException {
        Claim claim = workloads.getFirst().claim();
        prepared(kubelet.prepare(claim));
        for (int number = 0; number < options.cycles(); number++) {
            repeat.add(timed(() -> prepared(kubelet.prepare(claim))));
        }
        done(kubelet.unprepare(claim));
    }

    private void batches() throws IOException, InterruptedException {
        for (int number = 0; number < BATCHES; number++) {
            batches.add(timed(() -> {
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
        progress.accept("batches " + texts(batches));
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

    private void tell(String when, ProcessUsage usage) {
        progress.accept(String.format(
                Locale.ROOT,
                "%s: RSS %d MB, PSS %d MB, anonymous %d MB, processor %d ms",
                when,
                usage.residentKb() / 1024,
                usage.proportionalKb() / 1024,
                usage.anonymousKb() / 1024,
                usage.processor().toMillis()));
    }

    private static String texts(Samples samples) {
        return samples.values().stream()
                        .map(value -> String.format(Locale.ROOT, "%.1f", value))
                        .toList()
                + " ms";
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
