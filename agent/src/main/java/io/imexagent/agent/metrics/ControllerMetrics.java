package io.imexagent.agent.metrics;

import io.imexagent.controller.Controller;
import io.imexagent.controller.work.ControllerObserver;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** All metrics of a controller: the observers of its parts, and the page that Prometheus reads. */
public final class ControllerMetrics implements ControllerObserver, ApiObserver {

    private final Meters meters = new Meters();
    private final ApiMetrics api = new ApiMetrics(meters);
    private @Nullable PrometheusPage page;

    /**
     * Metrics of a controller.
     *
     * @param version the program's version
     */
    public ControllerMetrics(String version) {
        meters.gauge(MetricCatalogue.RESIDENT_MEMORY, new ResidentMemory(Path.of("/proc/self/status"))::bytes);
        meters.gauge(MetricCatalogue.BUILD_INFO, () -> 1, version);
    }

    /** Shows what a controller has, from now on. */
    public void show(Controller controller, Supplier<KubernetesApi.State> server) {
        api.show(server);
        meters.gauge(MetricCatalogue.COMPUTE_DOMAINS, () -> count(controller, true), "Ready");
        meters.gauge(MetricCatalogue.COMPUTE_DOMAINS, () -> count(controller, false), "NotReady");
        meters.gauge(MetricCatalogue.CONTROLLER_LEADER, () -> controller.leads() ? 1 : 0);
        meters.gauge(MetricCatalogue.CONTROLLER_QUEUE, controller::queued);
        meters.gauge(MetricCatalogue.CONTROLLER_CHANNELS, () -> usage(controller, Use.HELD), "used");
        meters.gauge(MetricCatalogue.CONTROLLER_CHANNELS, () -> usage(controller, Use.RESTING), "resting");
        meters.gauge(MetricCatalogue.CONTROLLER_CHANNELS, () -> usage(controller, Use.FREE), "free");
    }

    private enum Use {
        HELD,
        RESTING,
        FREE
    }

    private static double count(Controller controller, boolean ready) {
        return controller.readiness().getOrDefault(ready, 0L);
    }

    private static double usage(Controller controller, Use use) {
        return controller
                .usage()
                .map(usage -> switch (use) {
                    case HELD -> (double) usage.held();
                    case RESTING -> (double) usage.resting();
                    case FREE -> (double) usage.free();
                })
                .orElse(Double.NaN);
    }

    @Override
    public void reconciled(Duration took) {
        meters.durations(MetricCatalogue.CONTROLLER_RECONCILES).record(took);
    }

    @Override
    public void failed(String kind) {
        meters.counter(MetricCatalogue.CONTROLLER_ERRORS, kind).increment();
    }

    @Override
    public void called(String verb, String resource, Optional<ApiFailure.Kind> failure, Duration took) {
        api.called(verb, resource, failure, took);
    }

    /** All metrics in the Prometheus text format 0.0.4. */
    public synchronized String page() {
        if (page == null) {
            page = new PrometheusPage(meters);
        }
        return page.text();
    }
}
