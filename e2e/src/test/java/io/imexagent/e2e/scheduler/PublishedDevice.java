package io.imexagent.e2e.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A device that a node publishes.
 *
 * @param driver its driver
 * @param pool its pool
 * @param name its name in the pool
 * @param node the node that has it
 * @param content what the slice says of it
 */
record PublishedDevice(String driver, String pool, String name, String node, JsonNode content) {

    private static final List<String> KEEPING_AWAY = List.of("NoSchedule", "NoExecute");

    /** What names it among all devices of the cluster. */
    String id() {
        return driver + "/" + pool + "/" + name;
    }

    /** Whether several claims may hold it. */
    boolean shared() {
        return content.path("allowMultipleAllocations").asBoolean(false);
    }

    /** Whether a taint keeps pods away that tolerate none. */
    boolean tainted() {
        return content.path("taints")
                .valueStream()
                .anyMatch(taint -> KEEPING_AWAY.contains(taint.path("effect").asText()));
    }

    /** The devices of the node in the pools that are there as a whole, in the order of slices and devices. */
    static List<PublishedDevice> of(String node, List<? extends JsonNode> slices) {
        Map<String, List<JsonNode>> pools = new TreeMap<>();
        for (JsonNode slice : slices) {
            JsonNode spec = slice.path("spec");
            if (spec.path("nodeName").asText().equals(node)) {
                String pool = spec.path("driver").asText() + "/"
                        + spec.path("pool").path("name").asText();
                pools.computeIfAbsent(pool, name -> new ArrayList<>()).add(slice);
            }
        }
        List<PublishedDevice> devices = new ArrayList<>();
        pools.values().forEach(pool -> addWhole(pool, devices));
        return devices;
    }

    /** Slices of older generations do not count, and a pool that misses one of its slices not at all. */
    private static void addWhole(List<JsonNode> pool, List<PublishedDevice> into) {
        long newest = pool.stream().mapToLong(PublishedDevice::generation).max().orElse(0);
        List<JsonNode> present = pool.stream()
                .filter(slice -> generation(slice) == newest)
                .sorted((one, other) -> name(one).compareTo(name(other)))
                .toList();
        int count = present.getFirst().at("/spec/pool/resourceSliceCount").asInt();
        if (present.size() != count) {
            return;
        }
        for (JsonNode slice : present) {
            JsonNode spec = slice.path("spec");
            for (JsonNode device : spec.path("devices")) {
                into.add(new PublishedDevice(
                        spec.path("driver").asText(),
                        spec.path("pool").path("name").asText(),
                        device.path("name").asText(),
                        spec.path("nodeName").asText(),
                        device));
            }
        }
    }

    private static long generation(JsonNode slice) {
        return slice.at("/spec/pool/generation").asLong();
    }

    private static String name(JsonNode slice) {
        return slice.at("/metadata/name").asText();
    }

    /** The fields of the variable {@code device} of CEL. Attributes without a domain are in the driver's. */
    Map<String, Object> variables() {
        Map<String, Map<String, Object>> attributes = new HashMap<>();
        content.path("attributes").properties().forEach(attribute -> {
            String[] parts = attribute.getKey().split("/", 2);
            String domain = parts.length == 2 ? parts[0] : driver;
            String name = parts[parts.length - 1];
            attributes.computeIfAbsent(domain, key -> new HashMap<>()).put(name, value(attribute.getValue()));
        });
        return Map.of(
                "device.driver",
                driver,
                "device.attributes",
                attributes,
                "device.capacity",
                Map.of(),
                "device.allowMultipleAllocations",
                shared());
    }

    /** The attribute of this fully qualified name, {@code domain/name}; empty where the device has none. */
    Optional<Object> attribute(String qualified) {
        JsonNode attributes = content.path("attributes");
        JsonNode plain = qualified.startsWith(driver + "/")
                ? attributes.path(qualified.substring(driver.length() + 1))
                : attributes.path(qualified);
        JsonNode found = plain.isMissingNode() ? attributes.path(qualified) : plain;
        return found.isMissingNode() ? Optional.empty() : Optional.of(value(found));
    }

    private static Object value(JsonNode attribute) {
        if (attribute.has("int")) {
            return attribute.path("int").asLong();
        }
        if (attribute.has("bool")) {
            return attribute.path("bool").asBoolean();
        }
        return attribute.path(attribute.has("version") ? "version" : "string").asText();
    }
}
