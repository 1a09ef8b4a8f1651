package io.imexagent.agent.metrics;

import io.imexagent.controller.ClusterReport.FabricCounts;
import io.imexagent.controller.Controller;
import io.imexagent.controller.Controller.ControllerObserver;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** All metrics of a controller: the observers of its parts, and the page that Prometheus reads. */
public final class ControllerMetrics implements ControllerObserver, ApiObserver {

    private final Meters meters = new Meters();
    private final ApiMetrics api = new ApiMetrics(meters);

    /** Metrics of a controller of this version. */
    public ControllerMetrics(String version) {
        meters.gauge(Metric.BUILD_INFO, () -> 1, version);
    }

    /**
     * Shows what a controller has, from now on.
     *
     * @param fabric the cliques in numbers; empty while the controller does not know them, or has none
     */
    public void show(
            Controller controller, Supplier<Optional<FabricCounts>> fabric, Supplier<KubernetesApi.State> server) {
        api.show(server);
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

    /** Shows the objects of the cluster that cannot be read, from now on. */
    public void showUnread(Supplier<Map<String, UnreadObjects>> objects) {
        api.showUnread(objects);
    }

    /** The objects of the cluster that cannot be read. */
    public Map<String, UnreadObjects> unread() {
        return api.unread();
    }

    @Override
    public void reconciled(Duration took) {
        meters.timer(Metric.CONTROLLER_RECONCILE_SECONDS).record(took);
    }

    @Override
    public void failed(String kind) {
        meters.increment(Metric.CONTROLLER_RECONCILE_ERRORS_TOTAL, kind);
    }

    @Override
    public void called(String verb, String resource, Optional<ApiFailure.Kind> failure, Duration took) {
        api.called(verb, resource, failure, took);
    }

    /** All metrics in the Prometheus text format 0.0.4. */
    public String page() {
        api.refresh();
        return meters.page();
    }
}
