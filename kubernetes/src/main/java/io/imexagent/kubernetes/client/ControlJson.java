package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.control.DomainObject;
import io.imexagent.kubernetes.control.ObjectRef;
import io.imexagent.kubernetes.json.JsonTrees;
import java.util.List;
import java.util.Optional;

/** ComputeDomains as JSON, only what the controller decides on, and what its writes have in common. */
final class ControlJson {

    private ControlJson() {}

    /** Some thirty finalizers; what a tenant writes as long as it may would take the room of others. */
    private static final int LARGEST_DOMAIN = 16 << 10;

    /** A ComputeDomain. */
    static final Decoder<DomainObject> DOMAIN = new Decoder<>(
            WantedFields.ofObject(
                            "spec.channel.resourceClaimTemplate.name", "spec.channel.allocationMode", "status.status")
                    .room(LARGEST_DOMAIN),
            domain -> new DomainObject(
                    domain.ref(),
                    domain.deleting(),
                    domain.finalizers(),
                    domain.text("spec.channel.resourceClaimTemplate.name"),
                    domain.text("spec.channel.allocationMode"),
                    domain.text("status.status").equals("Ready")));

    /** The ComputeDomain that a configuration of this driver names. */
    static Optional<String> domainOf(Fields config) {
        return Optional.of(config.text("opaque.parameters.domainID"))
                .filter(domain ->
                        !domain.isEmpty() && config.text("opaque.driver").equals(DriverNames.DRIVER));
    }

    /** A merge patch of metadata that the server takes only where the object is as it was observed. */
    static ObjectNode patch(ObjectRef observed) {
        ObjectNode patch = JsonTrees.object();
        patch.putObject("metadata").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return patch;
    }

    static void finalizers(ObjectNode metadata, List<String> finalizers) {
        if (finalizers.isEmpty()) {
            metadata.putNull("finalizers");
        } else {
            ArrayNode array = metadata.putArray("finalizers");
            finalizers.forEach(array::add);
        }
    }

    /** What a deletion is bound to. */
    static ObjectNode preconditions(ObjectRef observed) {
        ObjectNode options = JsonTrees.object().put("apiVersion", "v1").put("kind", "DeleteOptions");
        options.putObject("preconditions").put("uid", observed.uid()).put("resourceVersion", observed.version());
        return options;
    }
}
