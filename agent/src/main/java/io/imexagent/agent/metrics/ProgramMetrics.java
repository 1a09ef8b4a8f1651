package io.imexagent.agent.metrics;

import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.UnreadObjects;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The common metrics of agent and controller: version, calls to the API server, and the page for Prometheus. */
abstract sealed class ProgramMetrics implements ApiObserver permits AgentMetrics, ControllerMetrics {

    final Meters meters = new Meters();
    private volatile Supplier<Map<String, UnreadObjects>> unread = Map::of;

    ProgramMetrics(String version, String commit) {
        meters.gauge(Metric.BUILD_INFO, () -> 1, version, commit);
    }

    /** Shows whether the server responds, without a series before the first call, and the unreadable objects. */
    final void showApi(Supplier<KubernetesApi.ApiState> state, Supplier<Map<String, UnreadObjects>> objects) {
        unread = objects;
        meters.gauge(Metric.API_UP, () -> switch (state.get()) {
            case KubernetesApi.ApiState.ApiUntried _ -> Double.NaN;
            case KubernetesApi.ApiState.ApiAnswering _ -> 1.0;
            case KubernetesApi.ApiState.ApiFailing _ -> 0.0;
        });
    }

    /** Counts a call. Verbs, resources and kinds of failure have a few dozen combinations at most. */
    @Override
    public void called(String verb, String resource, Optional<ApiFailure.FailureKind> failure, Duration took) {
        meters.increment(
                Metric.API_REQUESTS_TOTAL,
                verb,
                resource,
                failure.map(ApiFailure.FailureKind::label).orElse("success"));
        meters.timer(Metric.API_REQUEST_DURATION_SECONDS, verb, resource).record(took);
    }

    /** All metrics in the Prometheus text format 0.0.4. */
    public String page() {
        var rows = new HashMap<List<String>, Double>();
        unread.get().forEach((resource, objects) -> {
            objects.first().forEach(one -> rows.merge(List.of(resource, one.name(), one.reason()), 1.0, Double::sum));
            if (objects.more() > 0) {
                rows.put(List.of(resource, "others", ""), (double) objects.more());
            }
        });
        meters.rows(Metric.API_UNREADABLE_OBJECTS, rows);
        return meters.page();
    }
}
