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

/** Calls to the API server as metrics. Verbs, resources and kinds of failure are a few dozen at most. */
final class ApiMetrics implements ApiObserver {

    private final Meters meters;
    private volatile Supplier<Map<String, UnreadObjects>> unread = Map::of;

    ApiMetrics(Meters meters) {
        this.meters = meters;
    }

    /** Shows whether the server answers; no series before the first call. */
    void show(Supplier<KubernetesApi.State> state) {
        meters.gauge(Metric.API_UP, () -> switch (state.get()) {
            case KubernetesApi.State.Untried _ -> Double.NaN;
            case KubernetesApi.State.Answering _ -> 1.0;
            case KubernetesApi.State.Failing _ -> 0.0;
        });
    }

    /** Shows the objects that cannot be read, as {@link #refresh} finds them. */
    void showUnread(Supplier<Map<String, UnreadObjects>> objects) {
        unread = objects;
    }

    /** The objects that cannot be read. */
    Map<String, UnreadObjects> unread() {
        return unread.get();
    }

    /** Before a page. */
    void refresh() {
        var rows = new HashMap<List<String>, Double>();
        unread.get().forEach((resource, objects) -> {
            objects.first().forEach(one -> rows.merge(List.of(resource, one.name(), one.reason()), 1.0, Double::sum));
            if (objects.more() > 0) {
                rows.put(List.of(resource, "others", ""), (double) objects.more());
            }
        });
        meters.rows(Metric.API_UNREADABLE_OBJECTS, rows);
    }

    @Override
    public void called(String verb, String resource, Optional<ApiFailure.Kind> failure, Duration took) {
        meters.increment(
                Metric.API_REQUESTS_TOTAL,
                verb,
                resource,
                failure.map(ApiFailure.Kind::label).orElse("success"));
        meters.timer(Metric.API_REQUEST_DURATION_SECONDS, verb, resource).record(took);
    }
}
