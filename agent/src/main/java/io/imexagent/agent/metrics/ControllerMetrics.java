package io.imexagent.agent.metrics;

import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.ClusterReport.ProofCounts;
import io.imexagent.controller.Controller;
import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.controller.NodesFileFaults;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** All metrics of a controller. Observes its work and its calls to the API server. */
public final class ControllerMetrics extends ProgramMetrics implements ControllerObserver {

    private final NodesFileFaults files = new NodesFileFaults();
    private volatile Supplier<Optional<FabricCounts>> fabric = Optional::empty;
    private volatile Supplier<Optional<ProofCounts>> proofs = Optional::empty;
    /** Numbers of the cliques, counted once for all series of the page that is being written. */
    private volatile Optional<FabricCounts> counted = Optional.empty();

    public ControllerMetrics(String version, String commit) {
        super(version, commit);
    }

    /**
     * Shows the metrics of this controller from now on. Those of cliques are left out while it does not know its
     * cliques, or has none.
     */
    public void show(
            Controller controller,
            Supplier<Optional<FabricCounts>> reported,
            Supplier<Optional<ProofCounts>> proven,
            Supplier<KubernetesApi.ApiState> server,
            Supplier<Map<String, UnreadObjects>> unread) {
        showApi(server, unread);
        Map.of(true, "Ready", false, "NotReady")
                .forEach((ready, status) -> meters.gauge(
                        Metric.NVIDIA_DRA_COMPUTE_DOMAIN_INFO,
                        () -> controller.readiness().getOrDefault(ready, 0L),
                        status));
        meters.gauge(Metric.CONTROLLER_LEADER, () -> controller.leads() ? 1 : 0);
        meters.gauge(Metric.CONTROLLER_QUEUE, controller::queued);
        proofs = proven;
        fabric = reported;
        show(
                Metric.CONTROLLER_CLIQUES,
                this::isolated,
                counts -> counts.cliques().size());
        show(Metric.CONTROLLER_CHANNELS, this::isolated, FabricCounts::used, "used");
        show(Metric.CONTROLLER_CHANNELS, this::isolated, FabricCounts::free, "free");
        show(Metric.CONTROLLER_CHANNELS_FREE_LEAST, this::isolated, FabricCounts::leastFree);
        show(Metric.CONTROLLER_CHANNEL_CONFLICTS, this::isolated, FabricCounts::conflicts);
        show(Metric.CONTROLLER_LOST_HOLDS, this::isolated, FabricCounts::lostHolds);
        show(Metric.CONTROLLER_CHANNEL_SHARED, () -> counted, FabricCounts::shared);
        show(Metric.CONTROLLER_NODES_DIFFERING, () -> counted, FabricCounts::ofAnotherMode, "mode");
        show(Metric.CONTROLLER_NODES_DIFFERING, () -> counted, FabricCounts::ofAnotherIsolation, "isolation");
    }

    /** The numbers of the cliques under isolation IMEXChannel only. */
    private Optional<FabricCounts> isolated() {
        return counted.filter(counts -> counts.isolation() == Isolation.IMEX_CHANNEL);
    }

    @Override
    public synchronized String page() {
        counted = fabric.get();
        try {
            return countedPage();
        } finally {
            counted = Optional.empty();
        }
    }

    private String countedPage() {
        meters.rows(
                Metric.CONTROLLER_CLIQUE_LIMIT,
                isolated().map(FabricCounts::cliques).orElse(List.of()).stream()
                        .filter(clique -> clique.limited().isPresent())
                        .collect(Collectors.toMap(
                                clique -> List.of(
                                        clique.clique().text(),
                                        clique.limitedBy().getFirst()),
                                clique -> clique.channels().orElseThrow() + 1.0)));
        meters.rows(
                Metric.CONTROLLER_NODES_FILE_FAULTS,
                counted.map(counts -> files.count(counts.cliques())).orElse(Map.of()).entrySet().stream()
                        .collect(Collectors.toMap(
                                fault -> List.of(fault.getKey().text()), fault -> (double) fault.getValue())));
        // Computed once for a page, since it visits every pair of nodes.
        Optional<ProofCounts> proven = proofs.get();
        meters.rows(
                Metric.CONTROLLER_PROVEN_PAIRS,
                proven.map(ProofCounts::pairs).orElse(Map.of()).entrySet().stream()
                        .collect(Collectors.toMap(
                                state -> List.of(state.getKey()), state -> (double) state.getValue())));
        meters.rows(
                Metric.CONTROLLER_CONTRADICTED_PAIRS,
                proven.map(counts -> Map.of(List.<String>of(), (double) counts.contradicted()))
                        .orElse(Map.of()));
        return super.page();
    }

    private void show(
            Metric metric,
            Supplier<Optional<FabricCounts>> counts,
            ToDoubleFunction<FabricCounts> count,
            String... labels) {
        meters.gauge(metric, () -> counts.get().map(count::applyAsDouble).orElse(Double.NaN), labels);
    }

    @Override
    public void reconciled(Duration took) {
        meters.timer(Metric.CONTROLLER_RECONCILE_SECONDS).record(took);
    }

    @Override
    public void failed(String kind) {
        meters.increment(Metric.CONTROLLER_RECONCILE_ERRORS_TOTAL, kind);
    }
}
