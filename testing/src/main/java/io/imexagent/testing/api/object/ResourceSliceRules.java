package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** ResourceSlices: who publishes which devices of which pool; only the devices and the pool's counters may change. */
final class ResourceSliceRules implements ObjectRules {
    private static final List<String> IMMUTABLE = List.of("driver", "nodeName", "pool.name");
    private static final List<String> PLACES =
            List.of("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection");

    @Override
    public Shape shape() {
        return Shapes.RESOURCE_SLICE;
    }

    @Override
    public void dropGated(ObjectNode object, Optional<ObjectNode> old, Gates gates) {
        boolean taintsInUse = old.stream().flatMap(ResourceSliceRules::devices).anyMatch(d -> d.has("taints"));
        boolean sharingInUse =
                old.stream().flatMap(ResourceSliceRules::devices).anyMatch(d -> d.has("allowMultipleAllocations"));
        devices(object).forEach(device -> {
            if (!gates.deviceTaints() && !taintsInUse) {
                device.remove("taints");
            }
            if (!gates.consumableCapacity() && !sharingInUse) {
                device.remove("allowMultipleAllocations");
                dropRequestPolicies(device);
            }
        });
    }

    @Override
    public void setDefaults(ObjectNode object, Instant now) {
        devices(object).forEach(device -> {
            for (JsonNode taint : device.path("taints")) {
                if (taint instanceof ObjectNode fields && !fields.has("timeAdded")) {
                    fields.put("timeAdded", now.truncatedTo(ChronoUnit.SECONDS).toString());
                }
            }
        });
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        List<Cause> causes = new ArrayList<>();
        JsonNode spec = object.path("spec");
        checkDriverAndPool(spec, causes);
        long places = PLACES.stream().filter(spec::has).count();
        if (places != 1) {
            causes.add(Cause.invalid(
                    "spec",
                    "{" + places + " set}",
                    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"));
        }
        causes.addAll(Devices.check(spec.path("devices"), "spec.devices"));
        return causes;
    }

    @Override
    public List<Cause> checkChange(ObjectNode object, ObjectNode old) {
        List<Cause> causes = new ArrayList<>();
        for (String field : IMMUTABLE) {
            String value = Json.text(object.path("spec"), field);
            if (!value.equals(Json.text(old.path("spec"), field))) {
                causes.add(Cause.invalid("spec." + field, "\"" + value + "\"", "field is immutable"));
            }
        }
        return causes;
    }

    private static void checkDriverAndPool(JsonNode spec, List<Cause> causes) {
        String driver = spec.path("driver").asText("");
        if (driver.isEmpty()) {
            causes.add(Cause.required("spec.driver", ""));
        } else if (driver.length() > 63 || !Grammar.dnsSubdomain(driver)) {
            causes.add(Cause.invalid("spec.driver", "\"" + driver + "\"", "must be a DNS subdomain of up to 63 bytes"));
        }
        JsonNode pool = spec.path("pool");
        if (pool.path("name").asText("").isEmpty()) {
            causes.add(Cause.required("spec.pool.name", ""));
        }
        if (pool.path("resourceSliceCount").asLong() <= 0) {
            causes.add(Cause.invalid(
                    "spec.pool.resourceSliceCount",
                    pool.path("resourceSliceCount").asText("0"),
                    "must be greater than zero"));
        }
        if (pool.path("generation").asLong() < 0) {
            causes.add(Cause.invalid(
                    "spec.pool.generation", pool.path("generation").asText(), "must be greater than or equal to zero"));
        }
    }

    private static void dropRequestPolicies(ObjectNode device) {
        for (JsonNode capacity : device.path("capacity")) {
            if (capacity instanceof ObjectNode fields) {
                fields.remove("requestPolicy");
            }
        }
    }

    private static Stream<ObjectNode> devices(ObjectNode slice) {
        return slice.path("spec")
                .path("devices")
                .valueStream()
                .filter(ObjectNode.class::isInstance)
                .map(ObjectNode.class::cast);
    }
}
