package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Configs;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimService.PrepareObserver.Operation;
import io.imexagent.dra.driver.SlicePublisher.PublicationState;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AgentMetricsTest {

    private static final Instant NOW = Instant.parse("2026-11-21T10:00:30Z");
    private static final String OURS = "driver=\"compute-domain.nvidia.com\"";
    private static final Pattern SERIES = Pattern.compile(
            "[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-z_]+=\"([^\"\\\\\n]|\\\\[\\\\\"n])*\",?)*})? (NaN|[+-]?[0-9.E-]+)");

    private final Worker worker = new Worker("nvml", 4, WorkerObserver.NONE, System::nanoTime);
    private final FakeInventory inventory = new FakeInventory(Inventories.gb200());
    private final FakeApiState api = new FakeApiState();
    private final AgentMetrics metrics = metrics(true);

    @AfterEach
    void close() {
        worker.close();
    }

    @Test
    void hasRequestSeriesWithZeroFromTheStart() {
        assertThat(lines())
                .contains(
                        "nvidia_dra_requests_total{" + OURS + ",operation=\"prepare\"} 0.0",
                        "nvidia_dra_requests_total{" + OURS + ",operation=\"unprepare\"} 0.0",
                        "nvidia_dra_requests_inflight{" + OURS + ",operation=\"prepare\"} 0.0",
                        "nvidia_dra_requests_inflight{" + OURS + ",operation=\"unprepare\"} 0.0",
                        "nvidia_dra_request_duration_seconds_count{" + OURS + ",operation=\"prepare\"} 0",
                        "nvidia_dra_request_duration_seconds_count{" + OURS + ",operation=\"unprepare\"} 0",
                        "nvidia_dra_prepared_devices{device_type=\"channel\"," + OURS + ",node=\"node-1\"} 0.0");
    }

    @Test
    void countsRequestsThatSucceededInThePublicDriversBuckets() {
        metrics.channels().began(Operation.PREPARE);
        metrics.channels().ended(Operation.PREPARE, Duration.ofMillis(70), Optional.empty());

        String series = "nvidia_dra_request_duration_seconds_bucket{" + OURS + ",operation=\"prepare\",le=";
        assertThat(lines().stream()
                        .filter(line -> line.startsWith(series))
                        .map(line -> line.substring(series.length())))
                .containsExactly(
                        "\"0.05\"} 0",
                        "\"0.1\"} 1",
                        "\"0.2\"} 1",
                        "\"0.4\"} 1",
                        "\"0.8\"} 1",
                        "\"1.6\"} 1",
                        "\"3.2\"} 1",
                        "\"6.4\"} 1",
                        "\"12.8\"} 1",
                        "\"+Inf\"} 1");
        assertThat(lines())
                .contains(
                        "nvidia_dra_requests_total{" + OURS + ",operation=\"prepare\"} 1.0",
                        "nvidia_dra_request_duration_seconds_sum{" + OURS + ",operation=\"prepare\"} 0.07",
                        "# TYPE nvidia_dra_request_duration_seconds histogram");
    }

    @Test
    void countsRequestsThatFailedApart() {
        metrics.channels().began(Operation.UNPREPARE);
        metrics.channels().ended(Operation.UNPREPARE, Duration.ofMillis(1), Optional.of(RefusalCode.EFFECT_FAILED));

        assertThat(lines())
                .contains(
                        "nvidia_dra_requests_total{" + OURS + ",operation=\"unprepare\"} 0.0",
                        "nvidia_dra_request_duration_seconds_count{" + OURS + ",operation=\"unprepare\"} 0",
                        "imex_agent_failed_requests_total{code=\"effect_failed\",operation=\"unprepare\"} 1.0");
    }

    @Test
    void showsRequestsInFlight() {
        metrics.channels().began(Operation.PREPARE);
        metrics.channels().began(Operation.PREPARE);
        metrics.channels().ended(Operation.PREPARE, Duration.ofMillis(1), Optional.empty());

        assertThat(lines()).contains("nvidia_dra_requests_inflight{" + OURS + ",operation=\"prepare\"} 1.0");
    }

    @Test
    void boundsTheTypesOfErrorsByTheCodesOfRefusals() {
        for (RefusalCode code : RefusalCode.values()) {
            metrics.channels().refused(Operation.PREPARE, code);
            metrics.channels().refused(Operation.PREPARE, code);
            metrics.channels().refused(Operation.UNPREPARE, code);
        }

        assertThat(lines())
                .contains("nvidia_dra_node_prepare_errors_total{" + OURS + ",error_type=\"no_clique\"} 2.0")
                .contains("nvidia_dra_node_unprepare_errors_total{" + OURS + ",error_type=\"internal\"} 1.0");
        assertThat(lines().stream().filter(line -> line.startsWith("nvidia_dra_node_prepare_errors_total{")))
                .hasSize(RefusalCode.values().length);
    }

    @Test
    void countsThePreparedChannelsOfTheLedger() {
        metrics.channels().ledger(ledger("uid-1", "uid-2"));
        assertThat(lines())
                .contains("nvidia_dra_prepared_devices{device_type=\"channel\"," + OURS + ",node=\"node-1\"} 2.0");

        metrics.channels().ledger(Ledger.empty(Optional.empty()));
        assertThat(lines())
                .contains("nvidia_dra_prepared_devices{device_type=\"channel\"," + OURS + ",node=\"node-1\"} 0.0");
    }

    @Test
    void showsTheInventory() {
        inventory.set(Inventories.with(
                Inventories.with(
                        Inventories.gb200(),
                        List.of(Inventories.gpu("NVIDIA GB200"), Inventories.gpu("NVIDIA GB200"), Inventories.gpu(""))),
                new Finding("gpu-lost", Severity.CRITICAL, "first", "none"),
                new Finding("gpu-lost", Severity.CRITICAL, "second", "none")));

        assertThat(lines())
                .contains(
                        "imex_agent_gpus{name=\"NVIDIA GB200\"} 2.0",
                        "imex_agent_gpus{name=\"unreadable\"} 1.0",
                        "imex_agent_clique_info{clique=\"" + Inventories.CLIQUE + "\"} 1",
                        "imex_agent_clique_state{state=\"present\"} 1.0",
                        "imex_agent_channel_major 239.0",
                        "imex_agent_findings{code=\"gpu-lost\",severity=\"critical\"} 1.0",
                        "imex_agent_inventory_age_seconds 30.0",
                        "imex_agent_inventory_interval_seconds 60.0",
                        "imex_agent_inventory_changes_total 1.0");
    }

    @Test
    void namesObjectsThatCannotBeReadUntilTheyCan() {
        var named = new UnreadObjects.UnreadObject("team/a", "no metadata.name");
        api.set(Map.of("computedomains.resource.nvidia.com", new UnreadObjects(1_200, List.of(named, named))));
        String series = "imex_agent_api_unreadable_objects{object=\"%s\",reason=\"%s\",resource=\""
                + "computedomains.resource.nvidia.com\"} %s";
        assertThat(lines())
                .contains(
                        series.formatted("team/a", "no metadata.name", "2.0"),
                        series.formatted("others", "", "1198.0"));

        api.set(Map.of());
        assertThat(lines()).noneMatch(line -> line.startsWith("imex_agent_api_unreadable_objects{"));
    }

    @Test
    void dropsSeriesOfWhatIsGone() {
        inventory.set(Inventories.with(
                Inventories.with(Inventories.gb200(), new CliqueState.NoClique("no GPU")),
                new ChannelMajor.UnregisteredMajor()));
        inventory.set(Inventories.with(inventory.current(), List.of()));

        assertThat(lines())
                .contains("imex_agent_clique_state{state=\"none\"} 1.0", "imex_agent_inventory_changes_total 2.0")
                .noneMatch(line -> line.startsWith("imex_agent_clique_info{"))
                .noneMatch(line -> line.startsWith("imex_agent_gpus{"))
                .noneMatch(line -> line.startsWith("imex_agent_channel_major "))
                .noneMatch(line -> line.contains("state=\"present\""));
    }

    @Test
    void countsNoChangeOfTheTimeAlone() {
        inventory.set(inventory.current());

        assertThat(lines()).contains("imex_agent_inventory_changes_total 0.0");
    }

    @Test
    void showsHowFarPublicationHasCome() {
        metrics.channels()
                .show(
                        () -> new PublicationState.PublicationDone(1, NOW),
                        () -> new RegistrationState.RegistrationPending());
        metrics.channels().acted("create");
        metrics.channels().failed(failure(ApiFailure.FailureKind.FORBIDDEN));

        assertThat(lines())
                .contains(
                        "imex_agent_publication_state{driver=\"compute-domain.nvidia.com\",state=\"published\"} 1.0",
                        "imex_agent_publication_state{driver=\"compute-domain.nvidia.com\",state=\"pending\"} 0.0",
                        "imex_agent_publication_state{driver=\"compute-domain.nvidia.com\",state=\"withheld\"} 0.0",
                        "imex_agent_publication_state{driver=\"compute-domain.nvidia.com\",state=\"failing\"} 0.0",
                        "imex_agent_published_devices{driver=\"compute-domain.nvidia.com\"} 1.0",
                        "imex_agent_publication_actions_total{action=\"create\",driver=\"compute-domain.nvidia.com\"}"
                                + " 1.0",
                        "imex_agent_publication_failures_total{driver=\"compute-domain.nvidia.com\",kind=\"forbidden\"}"
                                + " 1.0");
    }

    @Test
    void showsEveryStateOfRegistration() {
        for (RegistrationState state : List.of(
                new RegistrationState.RegistrationPending(),
                new RegistrationState.RegistrationDone(NOW),
                new RegistrationState.RegistrationRejected("no", NOW))) {
            AgentMetrics one = metrics(true);
            one.channels().show(() -> new PublicationState.PublicationPending("the test"), () -> state);

            assertThat(one.page()
                            .lines()
                            .filter(line -> line.startsWith("imex_agent_registration_state{") && line.endsWith(" 1.0")))
                    .containsExactly("imex_agent_registration_state{driver=\"compute-domain.nvidia.com\",state=\""
                            + state.label() + "\"} 1.0");
        }
    }

    @Test
    void countsWhatTheKubeletsServicesTell() {
        metrics.channels().connectionRefused();
        metrics.channels().registration(new RegistrationState.RegistrationDone(NOW));
        metrics.channels().registration(new RegistrationState.RegistrationRejected("no", NOW));
        metrics.channels().socketRestored();
        metrics.channels().healthStreams(2);

        assertThat(lines())
                .contains(
                        "imex_agent_connections_refused_total 1.0",
                        "imex_agent_registration_failures_total 1.0",
                        "imex_agent_sockets_restored_total 1.0",
                        "imex_agent_health_streams{driver=\"compute-domain.nvidia.com\"} 2.0");
    }

    @Test
    void tellsWhetherTheApiServerAnswersOnceSomebodyAsked() {
        assertThat(lines()).noneMatch(line -> line.startsWith("imex_agent_api_up"));

        api.set(new KubernetesApi.ApiState.ApiAnswering());
        assertThat(lines()).contains("imex_agent_api_up 1.0");

        api.set(new KubernetesApi.ApiState.ApiFailing(failure(ApiFailure.FailureKind.TIMEOUT)));
        assertThat(lines()).contains("imex_agent_api_up 0.0");
    }

    @Test
    void countsCallsToTheApiServerByOutcome() {
        metrics.called("get", "nodes", Optional.empty(), Duration.ofMillis(500));
        metrics.called("get", "nodes", Optional.of(ApiFailure.FailureKind.TIMEOUT), Duration.ofMillis(1500));

        assertThat(lines())
                .contains(
                        "imex_agent_api_requests_total{outcome=\"success\",resource=\"nodes\",verb=\"get\"} 1.0",
                        "imex_agent_api_requests_total{outcome=\"timeout\",resource=\"nodes\",verb=\"get\"} 1.0",
                        "imex_agent_api_request_duration_seconds_count{resource=\"nodes\",verb=\"get\"} 2",
                        "imex_agent_api_request_duration_seconds_sum{resource=\"nodes\",verb=\"get\"} 2.0");
    }

    @Test
    void showsWorkers() {
        metrics.ended("nvml", Duration.ofMillis(250));
        metrics.rejected("nvml");

        assertThat(lines())
                .contains(
                        "imex_agent_worker_queue{worker=\"nvml\"} 0.0",
                        "imex_agent_worker_busy_seconds{worker=\"nvml\"} 0.0",
                        "imex_agent_worker_task_seconds_count{worker=\"nvml\"} 1",
                        "imex_agent_worker_task_seconds_sum{worker=\"nvml\"} 0.25",
                        "imex_agent_worker_rejected_total{worker=\"nvml\"} 1.0");
    }

    @Test
    void tellsItsVersionAndItsMode() {
        assertThat(lines())
                .contains(
                        "imex_agent_build_info{commit=\"0123abc\",version=\"1.2.3\"} 1",
                        "imex_agent_mode{mode=\"host-managed\"} 1.0");
        assertThat(metrics(false).page()).contains("imex_agent_mode{mode=\"observe-only\"} 1.0");
    }

    @Test
    void showsTheProcessAndItsJvm() {
        assertThat(lines())
                .anyMatch(line -> line.matches("process_resident_memory_bytes [1-9].*"))
                .anyMatch(line -> line.startsWith("process_uptime_seconds "))
                .anyMatch(line -> line.startsWith("process_cpu_usage "))
                .anyMatch(line -> line.startsWith("process_files_open_files "))
                .anyMatch(line -> line.startsWith("jvm_memory_used_bytes{"))
                .anyMatch(line -> line.startsWith("jvm_threads_live_threads "))
                .anyMatch(line -> line.startsWith("jvm_classes_loaded_classes "))
                .anyMatch(line -> line.startsWith("jvm_gc_collection_seconds_count{gc="))
                .anyMatch(line -> line.startsWith("jvm_gc_collection_seconds_sum{gc="));
    }

    @Test
    void writesNothingButPrometheusText() {
        inventory.set(Inventories.with(
                Inventories.gb200(), List.of(Inventories.gpu("a \"quoted\" name\\ with\na second line"))));
        var seen = new HashSet<String>();

        assertThat(lines()).allSatisfy(line -> {
            if (!line.startsWith("# HELP ") && !line.startsWith("# TYPE ")) {
                assertThat(line).matches(SERIES);
                assertThat(seen.add(line.substring(0, line.lastIndexOf(' ')))).isTrue();
            }
        });
    }

    private List<String> lines() {
        return metrics.page().lines().toList();
    }

    private AgentMetrics metrics(boolean hostManaged) {
        var made = new AgentMetrics(
                Configs.under(Path.of("/nowhere"), hostManaged), "1.2.3", "0123abc", Clock.fixed(NOW, ZoneOffset.UTC));
        made.observe(inventory, () -> Duration.ofSeconds(30), () -> Duration.ofMinutes(1), api);
        made.show(worker);
        return made;
    }

    private static ApiFailure failure(ApiFailure.FailureKind kind) {
        return new ApiFailure(kind, "as the test wants", Optional.empty());
    }

    private static Ledger ledger(String... uids) {
        Ledger ledger = Ledger.empty(Optional.empty());
        for (String uid : uids) {
            var handed = new PreparedDevice.ReturnedDevice(
                    List.of("channel"), "node-1", "channel-0", List.of("vendor/class=" + uid), Optional.empty());
            var group = new PreparedGroup(
                    List.of(new PreparedDevice.Channel(new ChannelId(0), handed)), "channel", "domain");
            ledger = ledger.with(new ClaimEntry.Completed(
                    new ClaimUid(uid),
                    Optional.empty(),
                    new ClaimStatus(Optional.empty(), List.of(), List.of()),
                    List.of(group)));
        }
        return ledger;
    }
}
