package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.control.LeaseContent;
import io.imexagent.kubernetes.control.LeaseObject;
import io.imexagent.kubernetes.json.JsonTrees;
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

    static final Decoder<LeaseObject> DECODER = new Decoder<>(
            WantedFields.ofObject(
                    "metadata.labels.*",
                    "metadata.annotations.*",
                    "spec.holderIdentity",
                    "spec.acquireTime",
                    "spec.renewTime",
                    "spec.leaseDurationSeconds",
                    "spec.leaseTransitions"),
            LeaseJson::lease);

    private static LeaseObject lease(Fields lease) throws UnreadableException {
        int seconds = lease.whole("spec.leaseDurationSeconds", 0);
        return new LeaseObject(
                lease.ref(),
                new LeaseContent(
                        Optional.of(lease.text("spec.holderIdentity")).filter(holder -> !holder.isEmpty()),
                        time(lease, "spec.acquireTime"),
                        time(lease, "spec.renewTime"),
                        seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                        lease.whole("spec.leaseTransitions", 0),
                        lease.map("metadata.labels"),
                        lease.map("metadata.annotations")));
    }

    private static Optional<Instant> time(Fields lease, String path) throws UnreadableException {
        String text = lease.text(path);
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            throw new UnreadableException(path + " is no time");
        }
    }

    static ObjectNode created(String namespace, String name, LeaseContent content) {
        return written(JsonTrees.object().put("namespace", namespace).put("name", name), content);
    }

    static ObjectNode replaced(LeaseObject observed, LeaseContent content) {
        return written(
                JsonTrees.object()
                        .put("namespace", observed.ref().namespace())
                        .put("name", observed.ref().name())
                        .put("uid", observed.ref().uid())
                        .put("resourceVersion", observed.ref().version()),
                content);
    }

    private static ObjectNode written(ObjectNode metadata, LeaseContent content) {
        ObjectNode object =
                JsonTrees.object().put("apiVersion", "coordination.k8s.io/v1").put("kind", "Lease");
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
