package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.process.AgentLaunch;
import io.imexagent.e2e.process.AgentProcess;
import io.imexagent.e2e.process.AgentSettings;
import io.imexagent.e2e.process.ProcessUsage;
import io.imexagent.e2e.process.StatusClient;
import io.imexagent.nvml.fake.FakeNvmlLibrary;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.ApiDoubleOptions;
import io.imexagent.testing.api.Login;
import io.imexagent.testing.api.object.Json;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.Scratch;
import io.imexagent.testing.kubelet.ClaimResult;
import io.imexagent.testing.kubelet.KubeletClaimRequest;
import io.imexagent.testing.kubelet.KubeletDouble;
import io.imexagent.testing.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An agent that works for as long as it should: claims are prepared and unprepared, its pages are read, its configuration is loaded
 * again, and the API server goes away and comes back. What has grown in the end, and what went wrong, is a failure.
 */
public final class Soak implements AutoCloseable {

    /** The most that private memory may grow by, in MB: what HotSpot compiles, and noise. */
    static final double PRIVATE_MB = 4;

    /** Threads and descriptors come and go with connections. */
    static final double THREADS = 4;

    static final double DESCRIPTORS = 8;

    private static final String NODE = "tray-07";
    private static final int WORKLOADS = 16;
    private static final Duration BETWEEN_OUTAGES = Duration.ofMinutes(5);
    private static final Duration OUTAGE = Duration.ofSeconds(15);

    /** After the API server is back, so long claims may still be refused: the agent waits before it tries again. */
    private static final Duration RECOVERY = Duration.ofSeconds(30);

    private static final Duration CYCLE = Duration.ofMillis(500);
    private static final int CYCLES_PER_SCRAPE = 20;

    /** Until this share of the time has passed, pages are touched and code is compiled for the first time. */
    private static final double WARM_UP = 0.2;

    private static final double KB_PER_MB = 1024;

    private final Duration length;
    private final Consumer<String> progress;
    private final Scratch scratch = Scratch.onDisk();
    private final FakeHost host = FakeHost.create(scratch.directory());
    private final ApiDouble api = ApiDouble.start(new ApiDoubleOptions());
    private final KubeletDouble kubelet;
    private final Path configuration;
    private final List<KubeletClaimRequest> claims = new ArrayList<>();
    private final Map<String, List<Double>> figures = new TreeMap<>();
    private final List<String> failures = new ArrayList<>();
    private int cycles;
    private int refused;
    private int outages;

    /** Starts everything but the agent. */
    public Soak(int minutes, Consumer<String> progress) throws IOException {
        this.length = Duration.ofMinutes(minutes);
        this.progress = progress;
        List<ObjectNode> objects = new ArrayList<>(List.of(Workload.cluster(NODE)));
        for (int number = 1; number <= WORKLOADS; number++) {
            Workload workload = new Workload("soak", NODE, number);
            claims.add(workload.claim());
            objects.add(workload.objects());
        }
        api.apply(Workload.together(objects));
        Path kubeconfig =
                api.writeKubeconfig(scratch.directory().resolve("kubelet.conf"), new Login.TokenLogin("node:" + NODE));
        this.configuration = AgentSettings.of(host, NODE, kubeconfig)
                .withDriver(FakeNvmlLibrary.compile(scratch.directory().resolve("driver")))
                .with("prepare.answerWithin", "10s")
                .write(scratch.directory().resolve("config.yaml"));
        this.kubelet = KubeletDouble.start(host.kubeletRoot());
    }

    /** Lets the agent work, and says how it was; {@link #missed} judges the document. */
    public ObjectNode run() throws IOException, InterruptedException {
        AgentLaunch launch = AgentLaunch.run(configuration);
        boolean onHotSpot = launch.isOnHotSpot();
        try (AgentProcess agent = launch.start();
                StatusClient status = new StatusClient(agent.awaitHttpPort())) {
            kubelet.awaitPlugin(AgentProcess.LONG);
            work(agent, status);
            if (agent.terminate() != 0) {
                failures.add("the agent ended with another exit code than 0");
            }
            agent.log().stream()
                    .filter(line -> line.contains(" ERROR ") || line.startsWith("\tat "))
                    .forEach(failures::add);
        }
        ObjectNode document = Json.object()
                .put("agent", onHotSpot ? Targets.HOTSPOT : Targets.IMAGE)
                .put("minutes", length.toMinutes())
                .put("cycles", cycles)
                .put("outages", outages)
                .put("refused_in_outages", refused);
        figures.forEach((key, values) -> document.set(key, trend(values)));
        failures.forEach(document.withArray("/failures")::add);
        return document;
    }

    /** What a document says is wrong: a failure, or growth above the bound. */
    public static List<String> missed(ObjectNode document) {
        List<String> missed = new ArrayList<>();
        document.path("failures").forEach(failure -> missed.add(failure.asText()));
        Map.of("private_mb", PRIVATE_MB, "threads", THREADS, "descriptors", DESCRIPTORS)
                .forEach((key, bound) -> {
                    double growth = document.path(key).path("growth").asDouble(Double.MAX_VALUE);
                    if (growth > bound) {
                        missed.add(String.format(Locale.ROOT, "%s has grown by %.1f, above %.0f", key, growth, bound));
                    }
                });
        return missed;
    }

    /** The medians of the first and of the last fifth after the warm-up, and the difference. */
    static ObjectNode trend(List<Double> values) {
        List<Double> settled = values.subList((int) (values.size() * WARM_UP), values.size());
        int fifth = Math.max(1, settled.size() / 5);
        double first = median(settled.subList(0, fifth));
        double last = median(settled.subList(settled.size() - fifth, settled.size()));
        return Json.object()
                .put("first", Samples.rounded(first))
                .put("last", Samples.rounded(last))
                .put("growth", Samples.rounded(last - first));
    }

    private static double median(List<Double> values) {
        Samples samples = new Samples();
        values.forEach(samples::addFigure);
        return samples.median();
    }

    private void work(AgentProcess agent, StatusClient status) throws IOException, InterruptedException {
        long every = Math.min(length.toNanos(), BETWEEN_OUTAGES.toNanos());
        long start = System.nanoTime();
        boolean away = false;
        for (long now = 0; now < length.toNanos(); now = System.nanoTime() - start) {
            // An outage begins in the middle of each period.
            long since = now % every - every / 2;
            boolean isAway = since >= 0 && since < OUTAGE.toNanos();
            if (isAway && !away) {
                api.goAway();
                outages++;
            } else if (away && !isAway) {
                back(agent, now);
            }
            away = isAway;
            cycle(since >= 0 && since < OUTAGE.plus(RECOVERY).toNanos());
            if (cycles % CYCLES_PER_SCRAPE == 0) {
                scrape(agent, status);
            }
            Thread.sleep(CYCLE);
        }
    }

    private void back(AgentProcess agent, long now) throws IOException, InterruptedException {
        api.comeBack();
        agent.hangUp();
        progress.accept(Duration.ofNanos(now).toMinutes() + " min, " + cycles + " cycles: " + agent.usage());
    }

    private void cycle(boolean mayRefuse) {
        KubeletClaimRequest claim = claims.get(cycles % WORKLOADS);
        cycles++;
        if (kubelet.prepare(claim) instanceof ClaimResult.ClaimFailed failed) {
            refused++;
            if (!mayRefuse) {
                failures.add("prepare in cycle " + cycles + ": " + failed.error());
            }
        }
        if (kubelet.unprepare(claim) instanceof ClaimResult.ClaimFailed failed) {
            failures.add("unprepare in cycle " + cycles + ": " + failed.error());
        }
    }

    /** Reads the pages as Prometheus, the kubelet and an administrator do, and takes the figures. */
    private void scrape(AgentProcess agent, StatusClient status) throws IOException {
        status.metrics();
        status.ready();
        if (status.page("/inventory").statusCode() != 200) {
            failures.add("/inventory was not served in cycle " + cycles);
        }
        ProcessUsage usage = agent.usage();
        add("rss_mb", usage.residentKb() / KB_PER_MB);
        add("private_mb", usage.anonymousKb() / KB_PER_MB);
        add("file_mb", usage.fileKb() / KB_PER_MB);
        add("threads", (double) ProcessUsage.threads(agent.pid()));
        add("descriptors", (double) ProcessUsage.descriptors(agent.pid()));
    }

    private void add(String key, double value) {
        figures.computeIfAbsent(key, none -> new ArrayList<>()).add(value);
    }

    @Override
    public void close() throws IOException {
        kubelet.close();
        api.close();
        scratch.close();
    }
}
