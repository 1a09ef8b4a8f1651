package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Events;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Events of the core API. The object's UID is the node's name, as in Events of the kubelet: {@code kubectl describe node}
 * looks for both.
 */
final class HttpEvents implements Events {

    private static final String COMPONENT = "imex-agent";

    private final Transport transport;
    private final RateLimiter limiter;

    HttpEvents(Transport transport, RateLimiter limiter) {
        this.transport = transport;
        this.limiter = limiter;
    }

    @Override
    public void create(NodeEvent event) throws ApiException {
        transport.call(
                Call.of(
                        Call.Verb.CREATE,
                        new Call.Target("", "events", "an Event of Node " + event.node(), ""),
                        "/api/v1/namespaces/" + NAMESPACE + "/events",
                        new Call.Body("application/json", json(event))),
                limiter,
                Decoder.ANY);
    }

    private static String json(NodeEvent event) {
        ObjectNode object = Json.object();
        object.put("apiVersion", "v1").put("kind", "Event");
        object.putObject("metadata")
                .put("name", event.node() + "." + Long.toHexString(nanos(event.at())))
                .put("namespace", NAMESPACE);
        object.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Node")
                .put("name", event.node())
                .put("uid", event.node());
        object.put("type", event.normal() ? "Normal" : "Warning")
                .put("reason", event.reason())
                .put("message", event.message())
                .put("count", 1);
        String at = event.at().truncatedTo(ChronoUnit.SECONDS).toString();
        object.put("firstTimestamp", at).put("lastTimestamp", at);
        object.putObject("source").put("component", COMPONENT).put("host", event.node());
        object.put("reportingComponent", COMPONENT).put("reportingInstance", event.node());
        return Json.text(object);
    }

    private static long nanos(Instant at) {
        return at.getEpochSecond() * 1_000_000_000L + at.getNano();
    }
}
