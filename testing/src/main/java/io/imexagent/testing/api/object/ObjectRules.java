package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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
    /** The kinds whose definition has rules, and the faults of the schema for which the server leaves those aside. */
    private static final Set<ResourceType> RULED =
            Set.of(ResourceType.COMPUTE_DOMAINS, ResourceType.NVLINK_CLIQUES, ResourceType.FABRIC_TESTS);

    private static final Set<String> BLOCKING = Set.of(
            "FieldValueNotSupported",
            "FieldValueRequired",
            "FieldValueTooLong",
            "FieldValueTooMany",
            "FieldValueTypeInvalid");

    private static final int ATTRIBUTE_AND_CAPACITY_LIMIT = 32;
    private static final int PARAMETERS_LIMIT = 10 << 10;
    private static final Pattern CLIQUE =
            Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](0|[1-9][0-9]{0,9})");

    /** What an Event with a time must say, its message apart, and the most bytes that it may take. */
    private static final Map<String, Integer> EVENT_TEXTS =
            Map.of("reportingComponent", 63, "reportingInstance", 128, "action", 128, "reason", 128, "message", 1024);

    private static final Pattern MICRO_TIME =
            Pattern.compile("[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}[.][0-9]{6}Z");

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
        if (type != ResourceType.RESOURCE_SLICES) {
            return;
        }
        boolean taints = gates.deviceTaints()
                || old.stream().flatMap(ObjectRules::devices).anyMatch(device -> device.has("taints"));
        boolean sharing = gates.consumableCapacity()
                || old.stream()
                        .flatMap(ObjectRules::devices)
                        .anyMatch(device -> device.has("allowMultipleAllocations"));
        devices(object).forEach(device -> {
            if (!taints) {
                device.remove("taints");
            }
            if (!sharing) {
                device.remove("allowMultipleAllocations");
                objects(device.path("capacity")).forEach(capacity -> capacity.remove("requestPolicy"));
            }
        });
    }

    void setDefaults(ObjectNode object, Instant now) {
        schema.setDefaults(object);
        switch (type) {
            case RESOURCE_CLAIMS -> setClaimDefaults(object.path("spec"));
            case RESOURCE_CLAIM_TEMPLATES -> setClaimDefaults(object.at("/spec/spec"));
            case RESOURCE_SLICES ->
                devices(object)
                        .flatMap(device -> objects(device.path("taints")))
                        .filter(taint -> !taint.has("timeAdded"))
                        .forEach(taint -> taint.put(
                                "timeAdded", now.truncatedTo(ChronoUnit.SECONDS).toString()));
            default -> {}
        }
    }

    private static void setClaimDefaults(JsonNode spec) {
        objects(spec.at("/devices/requests"))
                .map(request -> request.path("exactly"))
                .filter(exactly ->
                        exactly.path("allocationMode").asText().equals("ExactCount") && !exactly.has("count"))
                .forEach(exactly -> ((ObjectNode) exactly).put("count", 1));
    }

    /** Sets the status of a new object, after the sender's own was dropped. */
    void setFirstStatus(ObjectNode object) {
        switch (type) {
            case PODS -> object.putObject("status").put("phase", "Pending");
            case RESOURCE_CLAIMS -> object.putObject("status");
            default -> {}
        }
    }

    /** Faults of an object, whatever it was before; those of a status that has its own endpoint are not looked for. */
    List<StatusCause> check(ObjectNode object) {
        List<StatusCause> causes = schemaFaults(object, false);
        switch (type) {
            case RESOURCE_CLAIMS -> checkClaim(object.path("spec"), "spec", causes);
            case RESOURCE_CLAIM_TEMPLATES -> checkClaim(object.at("/spec/spec"), "spec.spec", causes);
            case RESOURCE_SLICES -> checkDevices(object.at("/spec/devices"), causes);
            case EVENTS -> checkEvent(object, causes);
            case NVLINK_CLIQUES, FABRIC_TESTS -> checkClique(object, causes);
            default -> {}
        }
        return causes;
    }

    List<StatusCause> checkChange(ObjectNode object, ObjectNode old) {
        return IMMUTABLE.getOrDefault(type, List.of()).stream()
                .filter(field -> !object.at(field).equals(old.at(field)))
                .map(field -> immutable(field.substring(1).replace('/', '.'), object.at(field)))
                .toList();
    }

    private StatusCause immutable(String field, JsonNode value) {
        return type.custom()
                ? StatusCause.rule(field, "A computeDomain.spec is immutable")
                : StatusCause.invalid(field, value.toString(), "field is immutable");
    }

    /** Faults of a change of the status: an allocation comes and goes, and never changes; without one nothing is reserved. */
    List<StatusCause> checkStatus(ObjectNode object, ObjectNode old) {
        List<StatusCause> causes = schemaFaults(object, true);
        if (type == ResourceType.RESOURCE_CLAIMS) {
            JsonNode allocation = object.at("/status/allocation");
            JsonNode before = old.at("/status/allocation");
            if (!allocation.isMissingNode() && !before.isMissingNode() && !allocation.equals(before)) {
                causes.add(StatusCause.invalid("status.allocation", allocation.toString(), "field is immutable"));
            }
            Set<String> allocated = reports(allocation.at("/devices/results")).keySet();
            reports(object.at("/status/devices")).forEach((key, entry) -> {
                if (!allocated.contains(key)) {
                    causes.add(StatusCause.invalid(
                            "status.devices", entry.toString(), "must be an allocated device in the claim"));
                }
            });
            if (allocation.isMissingNode() && !object.at("/status/reservedFor").isEmpty()) {
                causes.add(StatusCause.forbidden(
                        "status.reservedFor", "may not be specified when `allocated` is not set"));
            }
        }
        return causes;
    }

    /** What drivers reported of devices goes with their allocation. */
    void dropDeallocated(ObjectNode object, ObjectNode old) {
        if (type == ResourceType.RESOURCE_CLAIMS && object.at("/status/devices") instanceof ArrayNode devices) {
            Set<String> gone = new HashSet<>(
                    reports(old.at("/status/allocation/devices/results")).keySet());
            gone.removeAll(
                    reports(object.at("/status/allocation/devices/results")).keySet());
            devices.removeIf(entry -> gone.contains(device(entry)));
            if (devices.isEmpty()) {
                object.withObject("/status").remove("devices");
            }
        }
    }

    /** Entries about allocated devices by what tells these apart: driver, pool, device and share. */
    static Map<String, JsonNode> reports(JsonNode entries) {
        return entries.valueStream()
                .collect(Collectors.toMap(ObjectRules::device, entry -> entry, (first, again) -> again));
    }

    private static String device(JsonNode entry) {
        return Stream.of("driver", "pool", "device", "shareID")
                .map(field -> entry.path(field).asText(""))
                .collect(Collectors.joining("/"));
    }

    private List<StatusCause> schemaFaults(ObjectNode object, boolean ofStatus) {
        List<StatusCause> causes = schema.check(object);
        if (type.hasStatusSubresource()) {
            causes.removeIf(cause -> cause.field().startsWith("status") != ofStatus);
        }
        if (RULED.contains(type) && causes.stream().map(StatusCause::reason).anyMatch(BLOCKING::contains)) {
            causes.add(StatusCause.invalid(
                    "<nil>",
                    "null",
                    "some validation rules were not checked because the object was invalid; correct the existing errors"
                            + " to complete validation"));
        }
        return causes;
    }

    private static void checkDevices(JsonNode devices, List<StatusCause> causes) {
        for (int i = 0; i < devices.size(); i++) {
            JsonNode device = devices.get(i);
            int size =
                    device.path("attributes").size() + device.path("capacity").size();
            if (size > ATTRIBUTE_AND_CAPACITY_LIMIT) {
                causes.add(StatusCause.tooMany("spec.devices[" + i + "]", size, ATTRIBUTE_AND_CAPACITY_LIMIT));
            }
        }
    }

    private static void checkClaim(JsonNode spec, String path, List<StatusCause> causes) {
        Set<String> names = spec.at("/devices/requests")
                .valueStream()
                .map(request -> request.path("name").asText())
                .collect(Collectors.toSet());
        JsonNode configs = spec.at("/devices/config");
        for (int i = 0; i < configs.size(); i++) {
            checkConfig(configs.get(i), path + ".devices.config[" + i + "]", names, causes);
        }
    }

    private static void checkConfig(JsonNode config, String path, Set<String> names, List<StatusCause> causes) {
        JsonNode requests = config.path("requests");
        for (int i = 0; i < requests.size(); i++) {
            String asked = requests.get(i).asText();
            if (!names.contains(asked.split("/", 2)[0])) {
                causes.add(StatusCause.text(
                        path + ".requests[" + i + "]",
                        asked,
                        "must be the name of a request in the claim or the name of a request and a subrequest"
                                + " separated by '/'"));
            }
        }
        JsonNode parameters = config.at("/opaque/parameters");
        if (config.has("opaque") && !parameters.isObject()) {
            causes.add(StatusCause.required(path + ".opaque.parameters"));
        } else if (Json.bytes(parameters).length > PARAMETERS_LIMIT) {
            causes.add(StatusCause.tooLong(path + ".opaque.parameters", PARAMETERS_LIMIT));
        }
    }

    /**
     * Events stand in the namespace of their object, those about cluster-scoped objects in {@code default}; one with an
     * {@code eventTime} says who reports what, as {@code events.k8s.io/v1} demands, in bounded texts.
     */
    private static void checkEvent(ObjectNode event, List<StatusCause> causes) {
        String involved = event.at("/involvedObject/namespace").asText("");
        String own = event.at("/metadata/namespace").asText("");
        if (involved.isEmpty() ? !own.equals("default") && !own.equals("kube-system") : !involved.equals(own)) {
            causes.add(StatusCause.text("involvedObject.namespace", involved, "does not match event.namespace"));
        }
        for (String time : List.of("/eventTime", "/series/lastObservedTime")) {
            JsonNode said = event.at(time);
            if (!said.isMissingNode()
                    && !said.isNull()
                    && !MICRO_TIME.matcher(said.asText()).matches()) {
                throw StatusException.badRequest("Event in version \"v1\" cannot be handled as a Event: parsing"
                        + " time " + said + " as \"2006-01-02T15:04:05.000000Z07:00\"");
            }
        }
        if (event.hasNonNull("eventTime")) {
            EVENT_TEXTS.forEach((field, longest) -> {
                int length = event.path(field).asText("").getBytes(StandardCharsets.UTF_8).length;
                if (length == 0 && !field.equals("message")) {
                    causes.add(StatusCause.required(field));
                } else if (length > longest) {
                    causes.add(StatusCause.text(field, "", "can have at most " + longest + " characters"));
                }
            });
        }
    }

    /** The rules of the definition in CEL, which the server evaluates only over what meets the schema. */
    private static void checkClique(ObjectNode clique, List<StatusCause> causes) {
        if (!causes.isEmpty()) {
            return;
        }
        if (!CLIQUE.matcher(clique.at("/metadata/name").asText()).matches()) {
            causes.add(StatusCause.rule("<nil>", "the name must be that of a clique, <cluster uuid>.<number>"));
        }
        List<String> domains = clique.at("/spec/channels").findValuesAsText("computeDomain");
        Set<String> seen = new HashSet<>();
        // The rule makes a map of the entries by ComputeDomain, which the second one of a ComputeDomain breaks.
        domains.stream()
                .filter(domain -> !seen.add(domain))
                .findFirst()
                .ifPresent(
                        domain -> causes.add(
                                StatusCause.rule(
                                        "spec.channels",
                                        "\"array\": insert failed: key " + domain
                                                + " already exists evaluating rule: a ComputeDomain has one channel of a clique at most")));
    }

    private static Stream<ObjectNode> devices(ObjectNode slice) {
        return objects(slice.at("/spec/devices"));
    }

    private static Stream<ObjectNode> objects(JsonNode children) {
        return children.valueStream().filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }
}
