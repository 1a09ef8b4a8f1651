package io.imexagent.agent.metrics;

import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.Controller;
import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** All metrics of a controller, whose work and calls to the API server it observes. */
public final class ControllerMetrics extends ProgramMetrics implements ControllerObserver {

    public ControllerMetrics(String version, String commit) {
        super(version, commit);
    }

    /** Shows what a controller has, from now on; no cliques while the controller does not know them, or has none. */
    public void show(
            Controller controller,
            Supplier<Optional<FabricCounts>> fabric,
            Supplier<KubernetesApi.State> server,
            Supplier<Map<String, UnreadObjects>> unread) {
        showApi(server, unread);
        Map.of(true, "Ready", false, "NotReady")
                .forEach((ready, status) -> meters.gauge(
                        Metric.NVIDIA_DRA_COMPUTE_DOMAIN_INFO,
                        () -> controller.readiness().getOrDefault(ready, 0L),
                        status));
        meters.gauge(Metric.CONTROLLER_LEADER, () -> controller.leads() ? 1 : 0);
        meters.gauge(Metric.CONTROLLER_QUEUE, controller::queued);
        show(Metric.CONTROLLER_CLIQUES, fabric, counts -> counts.cliques().size());
        show(Metric.CONTROLLER_CHANNELS, fabric, FabricCounts::used, "used");
        show(Metric.CONTROLLER_CHANNELS, fabric, FabricCounts::free, "free");
        show(Metric.CONTROLLER_CHANNELS_FREE_LEAST, fabric, FabricCounts::leastFree);
        show(Metric.CONTROLLER_CHANNEL_CONFLICTS, fabric, FabricCounts::conflicts);
        show(Metric.CONTROLLER_LOST_HOLDS, fabric, FabricCounts::lostHolds);
    }

    private void show(
            Metric metric,
            Supplier<Optional<FabricCounts>> fabric,
            ToDoubleFunction<FabricCounts> count,
            String... labels) {
        meters.gauge(metric, () -> fabric.get().map(count::applyAsDouble).orElse(Double.NaN), labels);
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
