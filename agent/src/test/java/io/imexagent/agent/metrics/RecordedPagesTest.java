package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Configs;
import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.ClusterReport.ProofCounts;
import io.imexagent.controller.Controller;
import io.imexagent.controller.DomainPlanner.ControllerPolicy;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.PlacementMode;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimService.PrepareObserver.Operation;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.watch.Healths;
import io.imexagent.imex.watch.ImexWatch.ImexObserver;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whole pages, compared with recorded ones: names, types, help, labels, buckets and values. Dashboards and alerts outside
 * this project read them, so a page that changes on purpose is recorded with {@code -Dpages.record=true} and reviewed.
 */
class RecordedPagesTest {

    private static final Path RECORDED =
            Path.of(System.getProperty("basedir", "."), "src/test/resources/io/imexagent/agent/metrics");
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:30Z");
    private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
    private static final ApiFailure FORBIDDEN =
            new ApiFailure(ApiFailure.FailureKind.FORBIDDEN, "as the test wants", Optional.empty());

    private final Worker nvml = new Worker("nvml", 4, WorkerObserver.NONE, System::nanoTime);
    private final Worker imex = new Worker("imex", 1, WorkerObserver.NONE, System::nanoTime);
    private final Worker claims = new Worker("claims", 4, WorkerObserver.NONE, System::nanoTime);
    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final FakeApiState api = new FakeApiState();

    @TempDir
    Path folder;

    @AfterEach
    void close() {
        nvml.close();
        imex.close();
        claims.close();
    }

    private static final FabricCounts FABRIC =
            new FabricCounts(Isolation.IMEX_CHANNEL, List.of(clique(1, 127, 3), clique(2, 127, 120)), 1, 0, 2, true);

    @Test
    void anAgentThatObserves() throws IOException {
        assertRecorded("observing", agent(false).page());
    }

    @Test
    void anAgentThatServesChannelsAndRailsAndWatchesNvidiaImex() throws IOException {
        AgentMetrics metrics = agent(true);
        ImexObserver looks = metrics.watching(imex, () -> Duration.ofSeconds(30), () -> {});
        RdmaObserver readings = metrics.rdma();
        metrics.channels()
                .show(
                        () -> new PublicationState.PublicationDone(1, NOW),
                        () -> new RegistrationState.RegistrationPending());
        metrics.rails()
                .show(
                        () -> new PublicationState.PublicationPending("the test"),
                        () -> new RegistrationState.RegistrationRejected("the test", NOW));
        metrics.showRails((state, held) -> state.length() + (held ? 10 : 0));
        metrics.showHolds(() -> 2, () -> 1, () -> false, () -> 3);
        metrics.showConflicts(() -> 1);
        metrics.show(claims);
        assertRecorded("serving-before-the-first-event", metrics.page());

        api.set(new KubernetesApi.ApiState.ApiAnswering());
        api.set(Map.of(
                "computedomains.resource.nvidia.com",
                new UnreadObjects(3, List.of(new UnreadObjects.UnreadObject("team/a", "no metadata.name")))));
        inventory.set(sickGpus());
        metrics.gpuEvents().listening(true);
        metrics.gpuEvents().xid("0", 79);
        metrics.gpuEvents().xid("1", 4096);
        requests(metrics.channels());
        callsAndTasks(metrics);
        looks.checked(Healths.degraded(), Duration.ofMillis(20));
        looks.failed("defect");
        readings.read(
                view(RdmaTree.gb200(folder.resolve("host"))
                        .change("mlx5_1", FixtureNic::withoutAddress)
                        .without("sys/class/misc/rdma_cm")),
                Duration.ofMillis(7));
        assertRecorded("serving-with-faults", metrics.page());

        api.set(new KubernetesApi.ApiState.ApiFailing(FORBIDDEN));
        inventory.set(bareNode());
        looks.checked(Healths.unknown(), Duration.ofSeconds(5));
        readings.failed();
        readings.read(view(RdmaTree.empty(folder.resolve("bare"))), Duration.ofMillis(3));
        metrics.channels().healthStreams(1);
        assertRecorded("serving-with-nothing-left", metrics.page());
    }

    private static final ProofCounts PROOFS =
            new ProofCounts(Map.of("proven", 300L, "failed", 2L, "timeout", 1L, "not_tried", 3L, "stale", 0L), 1);

    @Test
    void aController() throws IOException {
        var metrics = new ControllerMetrics("1.2.3", "0123abc");
        assertRecorded("controller-that-rests", metrics.page());

        try (Controller shared = controller(Isolation.NONE, metrics)) {
            metrics.show(shared, shared::fabric, shared::proofs, api::state, api::unread);
            assertRecorded("controller-of-one-shared-channel", metrics.page());
        }
    }

    @Test
    void aControllerOfChannels() throws IOException {
        var metrics = new ControllerMetrics("1.2.3", "0123abc");
        try (Controller controller = controller(Isolation.IMEX_CHANNEL, metrics)) {
            metrics.show(controller, () -> Optional.of(FABRIC), () -> Optional.of(PROOFS), api::state, api::unread);
            api.set(new KubernetesApi.ApiState.ApiAnswering());
            metrics.called("list", "computedomains", Optional.empty(), Duration.ofMillis(30));
            metrics.reconciled(Duration.ofMillis(125));
            metrics.failed("conflict");
            assertRecorded("controller-of-channels", metrics.page());
        }
    }

    @Test
    void areOfExactlyTheListedMetrics() throws IOException {
        var pages = new StringBuilder();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(RECORDED)) {
            for (Path file : files) {
                pages.append(Files.readString(file));
            }
        }

        assertThat(pages.toString()
                        .lines()
                        .filter(line -> line.matches("# TYPE (imex_agent|nvidia_dra)_.*"))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Metric.values())
                        .map(metric -> "# TYPE " + metric.series + " " + MetricsReference.type(metric.kind))
                        .toList());
    }

    private AgentMetrics agent(boolean hostManaged) {
        var metrics = new AgentMetrics(Configs.under(Path.of("/nowhere"), hostManaged), "1.2.3", "0123abc", CLOCK);
        metrics.observe(inventory, () -> Duration.ofMillis(30_500), () -> Duration.ofSeconds(30), api);
        metrics.show(nvml);
        return metrics;
    }

    private static CliqueReport clique(int number, int channels, int bound) {
        DomainName domain = new DomainName(new ComputeDomainUid("uid"), "team", "train");
        return new CliqueReport(
                new CliqueId("b4a1f0de-5b72-4e09-9d36-8f2b7a60e153." + number),
                List.of(new CliqueReport.ReportedNode(
                        "tray-" + number,
                        ReportedNodeState.MISSING,
                        Optional.empty(),
                        NodeStatus.NONE,
                        List.of(new Hold(domain, Optional.empty())))),
                OptionalInt.of(channels),
                number == 1 ? List.of("tray-1", "tray-7") : List.of(),
                IntStream.rangeClosed(1, bound)
                        .mapToObj(id -> new CliqueReport.ReportedChannel(
                                new ChannelEntry(new ChannelId(id), domain, "tray-1", ChannelEntry.EntryState.ASSIGNED),
                                List.of()))
                        .toList(),
                List.of());
    }

    private static Controller controller(Isolation isolation, ControllerMetrics metrics) {
        return new Controller(
                new FakeControlPlane(),
                new ControllerPolicy(isolation, 64, Duration.ofMinutes(1), PlacementMode.OFF, Optional.empty()),
                "one",
                CLOCK,
                System::nanoTime,
                () -> 0.5,
                metrics);
    }

    private static void requests(DriverMetrics driver) {
        driver.began(Operation.PREPARE);
        driver.began(Operation.PREPARE);
        for (Duration took : List.of(Duration.ofNanos(50_000_000), Duration.ofNanos(50_000_001), Duration.ofDays(7))) {
            driver.began(Operation.PREPARE);
            driver.ended(Operation.PREPARE, took, Optional.empty());
        }
        driver.ended(Operation.PREPARE, Duration.ofMillis(1), Optional.of(RefusalCode.EFFECT_FAILED));
        driver.refused(Operation.PREPARE, RefusalCode.EFFECT_FAILED);
        driver.refused(Operation.UNPREPARE, RefusalCode.INTERNAL);
        driver.acted("create");
        driver.failed(FORBIDDEN);
        driver.connectionRefused();
        driver.registration(new RegistrationState.RegistrationRejected("the test", NOW));
        driver.socketRestored();
        driver.endedAsGone();
        driver.healthStreams(2);
    }

    private static void callsAndTasks(AgentMetrics metrics) {
        metrics.called("get", "nodes", Optional.empty(), Duration.ofMillis(500));
        metrics.called("get", "nodes", Optional.of(ApiFailure.FailureKind.TIMEOUT), Duration.ofMillis(1500));
        metrics.ended("nvml", Duration.ofMillis(250));
        metrics.rejected("claims");
    }

    private static NodeInventory sickGpus() {
        Gpu gpu = Inventories.gpu("NVIDIA GB200");
        var sick = new GpuHealth(
                List.of(
                        new FabricBit("degraded_bandwidth", "yes", Weight.DEGRADED),
                        new FabricBit("route_recovery", "not_supported", Weight.GOOD)),
                Optional.of("limited_capacity"),
                Optional.of("drain_and_reset"));
        return Inventories.with(
                Inventories.with(
                        Inventories.gb200(),
                        List.of(
                                gpu,
                                new Gpu(1, gpu.name(), gpu.uuid(), gpu.pci(), gpu.fabric(), sick),
                                new Gpu(2, "", "", Optional.empty(), new Gpu.GpuFabric.NoFabric(), GpuHealth.UNTOLD),
                                Inventories.gpu("a \"quoted\" name\\ with\na second line"))),
                new Finding("gpu-lost", Severity.CRITICAL, "first", "none"),
                new Finding("gpu-lost", Severity.CRITICAL, "second", "none"));
    }

    private static NodeInventory bareNode() {
        return Inventories.with(
                Inventories.with(
                        Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")),
                        new ChannelMajor.UnregisteredMajor()),
                List.of());
    }

    private static RdmaView view(RdmaTree tree) throws IOException {
        return RdmaView.read(
                new RdmaProbe(new RootedFiles(tree.root())),
                CLOCK,
                tree.gpus(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                Settings.OFF);
    }

    private static void assertRecorded(String name, String page) throws IOException {
        Path file = RECORDED.resolve(name + ".txt");
        String shown =
                page.lines().map(RecordedPagesTest::fixed).distinct().collect(Collectors.joining("\n", "", "\n"));
        if (Boolean.getBoolean("pages.record")) {
            Files.writeString(file, shown);
        }
        assertThat(shown).isEqualTo(Files.readString(file));
    }

    /** The values of the process and its JVM change, and its pools and collectors are those that the JVM chose. */
    private static String fixed(String line) {
        if (line.startsWith("#") || line.startsWith("imex_agent_") || line.startsWith("nvidia_dra_")) {
            return line;
        }
        return line.substring(0, line.lastIndexOf(' ')).replaceAll("\"[^\"]*\"", "…") + " …";
    }
}
