package io.imexagent.kubernetes;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Events of the core API that a component makes; its instance is the Node that an Event is about where none is given. */
record HttpEvents(Resource<Boolean> events, String component, Optional<String> instance) implements Events {

    private static final int LONGEST_NAME = 240;

    HttpEvents(Transport transport, RateLimiter limiter, String component, Optional<String> instance) {
        this(new Resource<>(transport, limiter, Resource.CORE, "Event", Decoder.ANY), component, instance);
    }

    @Override
    public void create(Event event) throws ApiException {
        ObjectRef about = event.about();
        boolean node = about.namespace().isEmpty();
        var _ = node
                ? events.called("an Event of Node " + about.name()).create(NAMESPACE, "", ofNode(event))
                : events.create(about.namespace(), "", ofDomain(event));
    }

    private ObjectNode ofNode(Event event) {
        String node = event.about().name();
        Instant at = event.at();
        long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
        ObjectNode object = event(event, Resource.named(NAMESPACE, node + "." + Long.toHexString(nanos)));
        object.withObject("/source").put("host", node);
        object.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", node)
                .put("uid", event.about().uid());
        return object;
    }

    private ObjectNode ofDomain(Event event) {
        ObjectRef about = event.about();
        // A name is at most 253 characters, and the server adds five.
        String name = about.name().substring(0, Math.min(about.name().length(), LONGEST_NAME)) + ".";
        ObjectNode object = event(
                event, JsonTrees.object().put("namespace", about.namespace()).put("generateName", name));
        object.set(
                "involvedObject",
                Resource.metadata(about)
                        .put("apiVersion", DriverNames.API_VERSION)
                        .put("kind", "ComputeDomain"));
        return object;
    }

    private ObjectNode event(Event event, ObjectNode metadata) {
        String time = event.at().truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode object = Resource.CORE
                .object("Event", metadata)
                .put("type", event.warning() ? "Warning" : "Normal")
                .put("reason", event.reason())
                .put("message", event.message())
                .put("firstTimestamp", time)
                .put("lastTimestamp", time)
                .put("count", 1)
                .put("reportingComponent", component)
                .put("reportingInstance", instance.orElse(event.about().name()));
        object.putObject("source").put("component", component);
        return object;
    }
}
