package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.Events;
import io.imexagent.kubernetes.Events.NodeEvent;
import io.imexagent.kubernetes.control.EventDraft;
import io.imexagent.kubernetes.control.ObjectRef;
import io.imexagent.kubernetes.json.JsonTrees;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Events of the core API as JSON. */
final class EventJson {

    private static final String AGENT = "imex-agent";
    private static final String CONTROLLER = "imex-controller";

    private EventJson() {}

    /**
     * An Event of a Node. The object's UID is the node's name, as in Events of the kubelet: {@code kubectl describe node}
     * looks for both.
     */
    static ObjectNode of(NodeEvent event) {
        Instant at = event.at();
        ObjectNode object = event(AGENT, event.node(), !event.normal(), event.reason(), event.message(), at);
        long nanos = at.getEpochSecond() * 1_000_000_000L + at.getNano();
        object.putObject("metadata")
                .put("name", event.node() + "." + Long.toHexString(nanos))
                .put("namespace", Events.NAMESPACE);
        object.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", event.node())
                .put("uid", event.node());
        object.withObject("/source").put("host", event.node());
        return object;
    }

    /** An Event of a ComputeDomain; {@code instance} is the controller that records it. */
    static ObjectNode of(EventDraft draft, String instance, Instant now) {
        ObjectRef about = draft.about();
        ObjectNode object = event(CONTROLLER, instance, draft.warning(), draft.reason(), draft.message(), now);
        object.putObject("metadata").put("namespace", about.namespace()).put("generateName", shortened(about.name()));
        object.putObject("involvedObject")
                .put("apiVersion", DriverNames.API_VERSION)
                .put("kind", "ComputeDomain")
                .put("namespace", about.namespace())
                .put("name", about.name())
                .put("uid", about.uid())
                .put("resourceVersion", about.version());
        return object;
    }

    private static ObjectNode event(
            String component, String instance, boolean warning, String reason, String message, Instant at) {
        String time = at.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = JsonTrees.object()
                .put("apiVersion", "v1")
                .put("kind", "Event")
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

    /** A name is at most 253 characters, and the server adds five. */
    private static String shortened(String name) {
        return (name.length() > 240 ? name.substring(0, 240) : name) + ".";
    }
}
