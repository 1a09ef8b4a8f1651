package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.host.json.JsonTrees;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.ObjectRef;
import io.imexagent.kubernetes.json.Decoder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Creates the Events of a component. The reporting instance is the given one, or the Node that an Event is about.
 * Events are written by the core API, which every kubelet's identity may use, with all fields that {@code
 * events.k8s.io/v1} shows; the older times and counts are for {@code kubectl describe}, which sorts by them.
 */
final class HttpEvents implements Events {

    /**
     * The longest name of the described object in an Event's name, which has at most 253 characters with a dot and 16
     * digits.
     */
    private static final int LONGEST_NAME = 236;

    private static final int LONGEST_INSTANCE = 128;

    /** The number of latest Events that are remembered; any other begins a new series. Each takes 2 KiB at most. */
    private static final int REMEMBERED = 1024;

    /** The failures which mean that the server has removed the Event, or does not let this component update it. */
    private static final Set<ApiFailure.FailureKind> FORGOTTEN_OR_KEPT = Set.of(
            ApiFailure.FailureKind.NOT_FOUND, ApiFailure.FailureKind.FORBIDDEN, ApiFailure.FailureKind.ADMISSION);

    /** How long an Event is remembered after its last occurrence: as long as a server keeps Events by default. */
    private static final Duration KEPT = Duration.ofHours(1);

    private final Resource<Boolean> events;
    private final String component;
    private final Optional<String> instance;
    private final SequencedMap<EventKey, Series> series = new LinkedHashMap<>();

    private record EventKey(String uid, boolean warning, String action, String reason, String message) {}

    /** The Event's object, how often the Event occurred, and when last. */
    private record Series(String name, int count, Instant last) {}

    HttpEvents(Transport transport, RateLimiter limiter, String component, Optional<String> instance) {
        this.events = new Resource<>(transport, limiter, Resource.CORE, "Event", Decoder.ANY);
        this.component = component;
        this.instance = instance;
    }

    @Override
    public void emit(Event event) throws ApiException {
        ObjectRef about = event.about();
        var key = new EventKey(about.uid(), event.warning(), event.action(), event.reason(), event.message());
        Optional<Series> before = known(key, event.at());
        if (before.isEmpty() || !counted(key, before.get(), event)) {
            String name = name(about.name(), event.at());
            var _ = events.called(
                            "an Event of " + (about.namespace().isEmpty() ? "Node " : "ComputeDomain ") + about.path())
                    .create(namespace(about), "", event(event, name));
            remember(key, new Series(name, 1, event.at()));
        }
    }

    /** Counts an Event in its series; false if the server has removed the series' object. */
    private boolean counted(EventKey key, Series before, Event event) throws ApiException {
        var now = new Series(before.name(), before.count() + 1, event.at());
        ObjectNode patch = JsonTrees.object().put("count", now.count()).put("lastTimestamp", seconds(event.at()));
        patch.putObject("series").put("count", now.count()).put("lastObservedTime", Resource.micros(event.at()));
        try {
            var _ = events.patch(namespace(event.about()), now.name(), "", patch);
        } catch (ApiException refused) {
            if (FORGOTTEN_OR_KEPT.contains(refused.failure().kind())) {
                return false;
            }
            throw refused;
        }
        remember(key, now);
        return true;
    }

    private synchronized Optional<Series> known(EventKey key, Instant now) {
        series.values().removeIf(old -> old.last().plus(KEPT).isBefore(now));
        return Optional.ofNullable(series.get(key));
    }

    private synchronized void remember(EventKey key, Series now) {
        series.putLast(key, now);
        if (series.size() > REMEMBERED) {
            series.pollFirstEntry();
        }
    }

    private static String namespace(ObjectRef about) {
        return about.namespace().isEmpty() ? NAMESPACE : about.namespace();
    }

    private static String name(String about, Instant at) {
        long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
        String stem = about.substring(0, Math.min(about.length(), LONGEST_NAME)).replaceAll("[.-]+$", "");
        return stem + "." + Long.toHexString(nanos);
    }

    private static String seconds(Instant at) {
        return at.truncatedTo(ChronoUnit.SECONDS).toString();
    }

    private ObjectNode event(Event event, String name) {
        ObjectRef about = event.about();
        boolean node = about.namespace().isEmpty();
        String by = instance.orElse(about.name());
        ObjectNode object = Resource.CORE
                .object("Event", Resource.named(namespace(about), name))
                .put("type", event.warning() ? "Warning" : "Normal")
                .put("action", event.action())
                .put("reason", event.reason())
                .put("message", event.message())
                .put("eventTime", Resource.micros(event.at()))
                .put("firstTimestamp", seconds(event.at()))
                .put("lastTimestamp", seconds(event.at()))
                .put("count", 1)
                .put("reportingComponent", component)
                .put("reportingInstance", by.substring(0, Math.min(by.length(), LONGEST_INSTANCE)));
        ObjectNode source = object.putObject("source").put("component", component);
        if (node) {
            source.put("host", about.name());
        }
        object.set(
                "involvedObject",
                node
                        ? Resource.named("", about.name())
                                .put("uid", about.uid())
                                .put("apiVersion", "v1")
                                .put("kind", "Node")
                        : Resource.metadata(about)
                                .put("apiVersion", DriverNames.API_VERSION)
                                .put("kind", "ComputeDomain"));
        return object;
    }
}
