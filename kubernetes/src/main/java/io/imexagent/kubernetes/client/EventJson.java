package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ControlPlane.EventDraft;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.Events.NodeEvent;
import io.imexagent.kubernetes.JsonTrees;
import io.imexagent.kubernetes.ObjectRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Events of the core API as JSON. */
final class EventJson {

    private static final int LONGEST_NAME = 240;

    private EventJson() {}

    /**
     * An Event of a Node. The object's UID is the node's name, as in Events of the kubelet: {@code kubectl describe node}
     * looks for both.
     */
    static ObjectNode of(NodeEvent event) {
        Instant at = event.at();
        long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
        ObjectNode metadata = Resource.named(Events.NAMESPACE, event.node() + "." + Long.toHexString(nanos));
        ObjectNode object =
                event(metadata, "imex-agent", event.node(), !event.normal(), event.reason(), event.message(), at);
        object.withObject("/source").put("host", event.node());
        object.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", event.node())
                .put("uid", event.node());
        return object;
    }

    /** An Event of a ComputeDomain; {@code instance} is the controller that records it. */
    static ObjectNode of(EventDraft draft, String instance, Instant now) {
        ObjectRef about = draft.about();
        // A name is at most 253 characters, and the server adds five.
        String name = about.name().substring(0, Math.min(about.name().length(), LONGEST_NAME)) + ".";
        ObjectNode metadata =
                JsonTrees.object().put("namespace", about.namespace()).put("generateName", name);
        ObjectNode object =
                event(metadata, "imex-controller", instance, draft.warning(), draft.reason(), draft.message(), now);
        object.set(
                "involvedObject",
                Resource.metadata(about)
                        .put("apiVersion", DriverNames.API_VERSION)
                        .put("kind", "ComputeDomain"));
        return object;
    }

    private static ObjectNode event(
            ObjectNode metadata,
            String component,
            String instance,
            boolean warning,
            String reason,
            String message,
            Instant at) {
        String time = at.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = Resource.CORE
                .object("Event", metadata)
                .put("type", warning ? "Warning" : "Normal")
                .put("reason", reason)
                .put("message", message)
                .put("firstTimestamp", time)
                .put("lastTimestamp", time)
                .put("count", 1)
                .put("reportingComponent", component)
                .put("reportingInstance", instance);
        event.putObject("source").put("component", component);
        return event;
    }
}
