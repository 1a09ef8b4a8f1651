package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.control.LeaseContent;
import io.imexagent.kubernetes.control.LeaseObject;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Leases as JSON. */
final class LeaseJson {

    /** MicroTime of the API: six digits, no more and no fewer. */
    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    private LeaseJson() {}

    static LeaseObject lease(JsonNode object) throws IOException {
        JsonNode spec = object.path("spec");
        JsonNode metadata = object.path("metadata");
        String holder = spec.path("holderIdentity").asText("");
        int seconds = spec.path("leaseDurationSeconds").asInt(0);
        return new LeaseObject(
                ControlJson.ref(object),
                new LeaseContent(
                        holder.isEmpty() ? Optional.empty() : Optional.of(holder),
                        time(spec.path("acquireTime")),
                        time(spec.path("renewTime")),
                        seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                        spec.path("leaseTransitions").asInt(0),
                        ControlJson.texts(metadata.path("labels")),
                        ControlJson.texts(metadata.path("annotations"))));
    }

    private static Optional<Instant> time(JsonNode text) throws IOException {
        if (text.asText("").isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Instant.parse(text.asText()));
        } catch (DateTimeParseException e) {
            throw new IOException("no time", e);
        }
    }

    static ObjectNode created(String namespace, String name, LeaseContent content) {
        return written(Json.object().put("namespace", namespace).put("name", name), content);
    }

    static ObjectNode replaced(LeaseObject observed, LeaseContent content) {
        return written(
                Json.object()
                        .put("namespace", observed.ref().namespace())
                        .put("name", observed.ref().name())
                        .put("uid", observed.ref().uid())
                        .put("resourceVersion", observed.ref().version()),
                content);
    }

    private static ObjectNode written(ObjectNode metadata, LeaseContent content) {
        ObjectNode object =
                Json.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
        ObjectNode labels = metadata.putObject("labels");
        content.labels().forEach(labels::put);
        ObjectNode annotations = metadata.putObject("annotations");
        content.annotations().forEach(annotations::put);
        object.set("metadata", metadata);
        ObjectNode spec = object.putObject("spec");
        content.holder().ifPresent(holder -> spec.put("holderIdentity", holder));
        content.acquired().ifPresent(at -> spec.put("acquireTime", MICROS.format(at)));
        content.renewed().ifPresent(at -> spec.put("renewTime", MICROS.format(at)));
        content.duration().ifPresent(span -> spec.put("leaseDurationSeconds", (int) span.toSeconds()));
        spec.put("leaseTransitions", content.transitions());
        return object;
    }
}
