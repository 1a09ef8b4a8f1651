package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** ResourceSlices: what their schema cannot say. Only the devices and the pool's counters may change. */
final class SliceRules {
    private static final int LIMIT = 128;
    private static final int LIMIT_WITH_TAINTS_OR_COUNTERS = 64;
    private static final int ATTRIBUTE_AND_CAPACITY_LIMIT = 32;
    private static final List<String> IMMUTABLE = List.of("driver", "nodeName", "pool.name");

    private SliceRules() {}

    static void dropGated(ObjectNode object, Optional<ObjectNode> old, Gates gates) {
        boolean taintsInUse = old.stream().flatMap(SliceRules::devices).anyMatch(d -> d.has("taints"));
        boolean sharingInUse =
                old.stream().flatMap(SliceRules::devices).anyMatch(d -> d.has("allowMultipleAllocations"));
        devices(object).forEach(device -> {
            if (!gates.deviceTaints() && !taintsInUse) {
                device.remove("taints");
            }
            if (!gates.consumableCapacity() && !sharingInUse) {
                device.remove("allowMultipleAllocations");
                objects(device.path("capacity")).forEach(capacity -> capacity.remove("requestPolicy"));
            }
        });
    }

    static void setDefaults(ObjectNode object, Instant now) {
        devices(object)
                .flatMap(device -> objects(device.path("taints")))
                .filter(taint -> !taint.has("timeAdded"))
                .forEach(taint -> taint.put(
                        "timeAdded", now.truncatedTo(ChronoUnit.SECONDS).toString()));
    }

    static void check(JsonNode devices, List<Cause> causes) {
        boolean heavy = devices.valueStream().anyMatch(d -> d.has("taints") || d.has("consumesCounters"));
        int limit = heavy ? LIMIT_WITH_TAINTS_OR_COUNTERS : LIMIT;
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

    static List<Cause> checkChange(JsonNode spec, JsonNode old) {
        List<Cause> causes = new ArrayList<>();
        for (String field : IMMUTABLE) {
            String value = Json.text(spec, field);
            if (!value.equals(Json.text(old, field))) {
                causes.add(Cause.invalid("spec." + field, "\"" + value + "\"", "field is immutable"));
            }
        }
        return causes;
    }

    private static Stream<ObjectNode> devices(ObjectNode slice) {
        return objects(slice.path("spec").path("devices"));
    }

    private static Stream<ObjectNode> objects(JsonNode children) {
        return children.valueStream().filter(ObjectNode.class::isInstance).map(ObjectNode.class::cast);
    }
}
