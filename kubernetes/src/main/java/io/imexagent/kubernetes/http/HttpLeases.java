package io.imexagent.kubernetes.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.ControlPlane.LeaseContent;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.json.Decoder;
import io.imexagent.kubernetes.json.FieldSelection;
import io.imexagent.kubernetes.json.FieldValues;
import io.imexagent.kubernetes.json.UnreadableException;
import java.time.Duration;
import java.util.Optional;

/** Leases as JSON. */
final class HttpLeases {

    static final Decoder<Stored<LeaseContent>> LEASE = new Decoder<>(
            FieldSelection.ofObject(
                    "metadata.labels.*",
                    "metadata.annotations.*",
                    "spec.holderIdentity,acquireTime,renewTime,leaseDurationSeconds,leaseTransitions"),
            lease -> lease.stored(lease(lease)));

    private HttpLeases() {}

    private static LeaseContent lease(FieldValues lease) throws UnreadableException {
        int seconds = lease.whole("spec.leaseDurationSeconds", 0);
        return new LeaseContent(
                lease.given("spec.holderIdentity"),
                lease.time("spec.acquireTime"),
                lease.time("spec.renewTime"),
                seconds > 0 ? Optional.of(Duration.ofSeconds(seconds)) : Optional.empty(),
                lease.whole("spec.leaseTransitions", 0),
                lease.map("metadata.labels"),
                lease.map("metadata.annotations"));
    }

    static ObjectNode written(ObjectNode metadata, LeaseContent content) {
        Resource.texts(metadata, "labels", content.labels());
        Resource.texts(metadata, "annotations", content.annotations());
        ObjectNode object = Resource.COORDINATION.object("Lease", metadata);
        ObjectNode spec = object.putObject("spec").put("leaseTransitions", content.transitions());
        content.holder().ifPresent(holder -> spec.put("holderIdentity", holder));
        content.acquired().ifPresent(at -> spec.put("acquireTime", Resource.micros(at)));
        content.renewed().ifPresent(at -> spec.put("renewTime", Resource.micros(at)));
        content.duration().ifPresent(span -> spec.put("leaseDurationSeconds", (int) span.toSeconds()));
        return object;
    }
}
