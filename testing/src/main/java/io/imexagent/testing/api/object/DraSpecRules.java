package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** ResourceSlices, ResourceClaims and the specs of claim templates: what their schema cannot say. */
final class DraSpecRules {
    private static final int DEVICE_LIMIT = 128;
    private static final int DEVICE_LIMIT_WITH_TAINTS_OR_COUNTERS = 64;
    private static final int ATTRIBUTE_AND_CAPACITY_LIMIT = 32;
    private static final int PARAMETERS_LIMIT = 10 << 10;

    private DraSpecRules() {}

    static void dropGatedOfSlice(ObjectNode slice, Optional<ObjectNode> old, Gates gates) {
        boolean taintsInUse = old.stream().flatMap(DraSpecRules::devices).anyMatch(d -> d.has("taints"));
        boolean sharingInUse =
                old.stream().flatMap(DraSpecRules::devices).anyMatch(d -> d.has("allowMultipleAllocations"));
        devices(slice).forEach(device -> {
            if (!gates.deviceTaints() && !taintsInUse) {
                device.remove("taints");
            }
            if (!gates.consumableCapacity() && !sharingInUse) {
                device.remove("allowMultipleAllocations");
                objects(device.path("capacity")).forEach(capacity -> capacity.remove("requestPolicy"));
            }
        });
    }

    static void setSliceDefaults(ObjectNode slice, Instant now) {
        devices(slice)
                .flatMap(device -> objects(device.path("taints")))
                .filter(taint -> !taint.has("timeAdded"))
                .forEach(taint -> taint.put(
                        "timeAdded", now.truncatedTo(ChronoUnit.SECONDS).toString()));
    }

    static void setClaimDefaults(JsonNode spec) {
        objects(spec.path("devices").path("requests"))
                .flatMap(request -> Stream.of(request.path("exactly")))
                .filter(exactly ->
                        exactly.path("allocationMode").asText().equals("ExactCount") && !exactly.has("count"))
                .forEach(exactly -> ((ObjectNode) exactly).put("count", 1));
    }

    static void checkDevices(JsonNode devices, List<Cause> causes) {
        boolean heavy = devices.valueStream().anyMatch(d -> d.has("taints") || d.has("consumesCounters"));
        int limit = heavy ? DEVICE_LIMIT_WITH_TAINTS_OR_COUNTERS : DEVICE_LIMIT;
        if (devices.size() > limit) {
            causes.add(Cause.tooMany("spec.devices", devices.size(), limit));
        }
        for (int i = 0; i < devices.size(); i++) {
            String path = "spec.devices[" + i + "]";
            JsonNode attributes = devices.get(i).path("attributes");
            int size = attributes.size() + devices.get(i).path("capacity").size();
            if (size > ATTRIBUTE_AND_CAPACITY_LIMIT) {
                causes.add(Cause.tooMany(path, size, ATTRIBUTE_AND_CAPACITY_LIMIT));
            }
            attributes.properties().stream()
                    .map(Map.Entry::getKey)
                    .filter(name -> !Grammar.attributeName(name))
                    .forEach(name -> causes.add(Cause.text(
                            path + ".attributes[" + name + "]",
                            name,
                            "must be a C identifier, with or without a domain")));
        }
    }

    static void checkClaim(JsonNode spec, String path, List<Cause> causes) {
        Set<String> names = spec.path("devices")
                .path("requests")
                .valueStream()
                .map(request -> request.path("name").asText())
                .collect(Collectors.toSet());
        JsonNode configs = spec.path("devices").path("config");
        for (int i = 0; i < configs.size(); i++) {
            checkConfig(configs.get(i), path + ".devices.config[" + i + "]", names, causes);
        }
    }

    private static void checkConfig(JsonNode config, String path, Set<String> names, List<Cause> causes) {
        JsonNode requests = config.path("requests");
        for (int i = 0; i < requests.size(); i++) {
            String asked = requests.get(i).asText();
            int slash = asked.indexOf('/');
            if (!names.contains(slash < 0 ? asked : asked.substring(0, slash))) {
                causes.add(Cause.text(
                        path + ".requests[" + i + "]",
                        asked,
                        "must be the name of a request in the claim or the name of a request and a subrequest"
                                + " separated by '/'"));
            }
        }
        JsonNode parameters = config.path("opaque").path("parameters");
        if (config.has("opaque") && !parameters.isObject()) {
            causes.add(Cause.required(path + ".opaque.parameters", ""));
        } else if (Json.bytes(parameters).length > PARAMETERS_LIMIT) {
            causes.add(Cause.tooLong(path + ".opaque.parameters", PARAMETERS_LIMIT));
        }
    }

    /** An allocation comes and goes, and never changes; without one nothing is reserved. */
    static void checkClaimStatus(JsonNode status, JsonNode old, List<Cause> causes) {
        JsonNode allocation = status.path("allocation");
        JsonNode before = old.path("allocation");
        if (!allocation.isMissingNode() && !before.isMissingNode() && !allocation.equals(before)) {
            causes.add(Cause.invalid("status.allocation", allocation.toString(), "field is immutable"));
        }
        if (allocation.isMissingNode() && !status.path("reservedFor").isEmpty()) {
            causes.add(Cause.forbidden("status.reservedFor", "may not be specified when `allocated` is not set"));
        }
    }

    private static Stream<ObjectNode> devices(ObjectNode slice) {
        return objects(slice.path("spec").path("devices"));
    }

    private static Stream<ObjectNode> objects(JsonNode children) {
        return children.valueStream().filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }
}
