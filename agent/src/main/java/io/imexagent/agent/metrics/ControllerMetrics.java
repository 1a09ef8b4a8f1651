package io.imexagent.agent.metrics;

import io.imexagent.controller.Controller;
import io.imexagent.controller.plan.Channels;
import io.imexagent.controller.work.ControllerObserver;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import java.time.Duration;
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

    /** Shows what a controller has, from now on. */
    public void show(Controller controller, Supplier<KubernetesApi.State> server) {
        api.show(server);
        meters.gauge(
                Metric.NVIDIA_DRA_COMPUTE_DOMAIN_INFO,
                () -> controller.readiness().getOrDefault(true, 0L),
                "Ready");
        meters.gauge(
                Metric.NVIDIA_DRA_COMPUTE_DOMAIN_INFO,
                () -> controller.readiness().getOrDefault(false, 0L),
                "NotReady");
        meters.gauge(Metric.CONTROLLER_LEADER, () -> controller.leads() ? 1 : 0);
        meters.gauge(Metric.CONTROLLER_QUEUE, controller::queued);
        showChannels(controller, "used", Channels.Usage::held);
        showChannels(controller, "resting", Channels.Usage::resting);
        showChannels(controller, "free", Channels.Usage::free);
    }

    private void showChannels(Controller controller, String state, ToDoubleFunction<Channels.Usage> count) {
        meters.gauge(
                Metric.CONTROLLER_CHANNELS,
                () -> controller.usage().map(count::applyAsDouble).orElse(Double.NaN),
                state);
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
        return meters.page();
    }
}
