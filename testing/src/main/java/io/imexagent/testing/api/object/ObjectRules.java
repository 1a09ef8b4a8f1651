package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the server does to the objects of one type beyond what their schema says: gates, defaults, validation. */
record ObjectRules(ResourceType type, Schema schema) {
    private static final Pattern CLIQUE =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](0|[1-9][0-9]{0,9})");

    private static final Map<ResourceType, List<String>> IMMUTABLE = Map.of(
            ResourceType.RESOURCE_CLAIMS, List.of("/spec"),
            ResourceType.RESOURCE_CLAIM_TEMPLATES, List.of("/spec"),
            ResourceType.RESOURCE_SLICES, List.of("/spec/driver", "/spec/nodeName", "/spec/pool/name"),
            ResourceType.COMPUTE_DOMAINS, List.of("/spec"));
    /** Made once: a schema takes longer to load than a double to start. */
    private static final Map<ResourceType, ObjectRules> ALL = Stream.of(ResourceType.values())
            .collect(Collectors.toMap(type -> type, type -> new ObjectRules(type, Schema.of(type))));

    static ObjectRules of(ResourceType type) {
        return Objects.requireNonNull(ALL.get(type));
    }

    /** Drops fields whose gate is off and which the old object does not use either. */
    void dropGated(ObjectNode object, Optional<ObjectNode> old, Gates gates) {
        if (type == ResourceType.RESOURCE_SLICES) {
            DraSpecRules.dropGatedOfSlice(object, old, gates);
        }
    }

    /** Sets fields that are missing. */
    void setDefaults(ObjectNode object, Instant now) {
        schema.setDefaults(object);
        switch (type) {
            case RESOURCE_CLAIMS -> DraSpecRules.setClaimDefaults(object.path("spec"));
            case RESOURCE_CLAIM_TEMPLATES ->
                DraSpecRules.setClaimDefaults(object.path("spec").path("spec"));
            case RESOURCE_SLICES -> DraSpecRules.setSliceDefaults(object, now);
            default -> {}
        }
    }

    /** Sets the status of a new object, after the sender's own was dropped. */
    void setFirstStatus(ObjectNode object) {
        switch (type) {
            case COMPUTE_DOMAINS -> object.putObject("status").put("status", "NotReady");
            case PODS -> object.putObject("status").put("phase", "Pending");
            case RESOURCE_CLAIMS -> object.putObject("status");
            default -> {}
        }
    }

    /** Faults of an object, whatever it was before; those of a status that has its own endpoint are not looked for. */
    List<Cause> check(ObjectNode object) {
        List<Cause> causes = schemaFaults(object, false);
        switch (type) {
            case RESOURCE_CLAIMS -> DraSpecRules.checkClaim(object.path("spec"), "spec", causes);
            case RESOURCE_CLAIM_TEMPLATES ->
                DraSpecRules.checkClaim(object.path("spec").path("spec"), "spec.spec", causes);
            case RESOURCE_SLICES ->
                DraSpecRules.checkDevices(object.path("spec").path("devices"), causes);
            case EVENTS -> checkEvent(object, causes);
            case NVLINK_CLIQUES -> checkClique(object, causes);
            default -> {}
        }
        return causes;
    }

    /** Faults of a change. */
    List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        return IMMUTABLE.getOrDefault(type, List.of()).stream()
                .filter(field -> !object.at(field).equals(old.at(field)))
                .map(field -> Cause.invalid(
                        field.substring(1).replace('/', '.'),
                        type.custom() ? "\"object\"" : object.at(field).toString(),
                        type.custom() ? "A computeDomain.spec is immutable" : "field is immutable"))
                .toList();
    }

    /** Faults of a change of the status. */
    List<Cause> checkStatus(ObjectNode object, ObjectNode old) {
        List<Cause> causes = schemaFaults(object, true);
        if (type == ResourceType.RESOURCE_CLAIMS) {
            DraSpecRules.checkClaimStatus(object.path("status"), old.path("status"), causes);
        }
        return causes;
    }

    private List<Cause> schemaFaults(ObjectNode object, boolean ofStatus) {
        List<Cause> causes = schema.check(object);
        if (type.hasStatusSubresource()) {
            causes.removeIf(cause -> cause.field().startsWith("status") != ofStatus);
        }
        return causes;
    }

    /** Events stand in the namespace of their object, those about cluster-scoped objects in {@code default}. */
    private static void checkEvent(ObjectNode event, List<Cause> causes) {
        String involved = Json.text(event, "involvedObject.namespace");
        String own = Json.text(event, "metadata.namespace");
        if (involved.isEmpty() ? !own.equals("default") && !own.equals("kube-system") : !involved.equals(own)) {
            causes.add(Cause.text("involvedObject.namespace", involved, "does not match event.namespace"));
        }
    }

    /** The rules of the definition in CEL, which the server evaluates only over what meets the schema. */
    private static void checkClique(ObjectNode clique, List<Cause> causes) {
        if (!causes.isEmpty()) {
            return;
        }
        if (!CLIQUE.matcher(Json.text(clique, "metadata.name")).matches()) {
            causes.add(
                    Cause.invalid("<nil>", "\"object\"", "the name must be that of a clique, <cluster uuid>.<number>"));
        }
        Set<String> domains = new HashSet<>();
        for (JsonNode entry : clique.path("spec").path("channels")) {
            if (!domains.add(entry.path("computeDomain").asText())) {
                causes.add(Cause.invalid(
                        "spec.channels", "\"array\"", "a ComputeDomain has one channel of a clique at most"));
                return;
            }
        }
    }
}
