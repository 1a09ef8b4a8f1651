package io.imexagent.testkit.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Gives devices of one node to one claim, first fit: what the class and the request select, that no taint keeps away and
 * nobody holds, unless the device may be held by several; each of them then has a share ID of its own.
 */
final class Allocator {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Map<String, ? extends JsonNode> classes;
    private final List<PublishedDevice> devices;
    private final Set<String> held;

    /**
     * An allocator for a node.
     *
     * @param classes the device classes by name
     * @param devices the node's devices
     * @param held the devices that claims hold already, by {@link PublishedDevice#id}
     */
    Allocator(Map<String, ? extends JsonNode> classes, List<PublishedDevice> devices, Set<String> held) {
        this.classes = classes;
        this.devices = devices;
        this.held = new HashSet<>(held);
    }

    /**
     * The allocation of a claim; what it holds counts as held afterwards.
     *
     * @throws UnsatisfiableException where a request finds no device; nothing is held for it then
     */
    ObjectNode allocate(String node, JsonNode claimSpec) throws UnsatisfiableException {
        ArrayNode results = JSON.arrayNode();
        ArrayNode configs = JSON.arrayNode();
        Set<String> taken = new HashSet<>();
        for (JsonNode request : claimSpec.at("/devices/requests")) {
            allocate(request, results, configs, taken);
        }
        for (JsonNode config : claimSpec.at("/devices/config")) {
            configs.add(source(config, "FromClaim", config.path("requests")));
        }
        held.addAll(taken);
        ObjectNode allocation = JSON.objectNode();
        ObjectNode given = allocation.putObject("devices");
        given.set("results", results);
        if (!configs.isEmpty()) {
            given.set("config", configs);
        }
        allocation
                .putObject("nodeSelector")
                .putArray("nodeSelectorTerms")
                .addObject()
                .putArray("matchFields")
                .addObject()
                .put("key", "metadata.name")
                .put("operator", "In")
                .putArray("values")
                .add(node);
        return allocation;
    }

    private void allocate(JsonNode request, ArrayNode results, ArrayNode configs, Set<String> taken)
            throws UnsatisfiableException {
        String name = request.path("name").asText();
        JsonNode exactly = request.path("exactly");
        if (!exactly.path("allocationMode").asText("ExactCount").equals("ExactCount")) {
            throw new UnsatisfiableException("request " + name + ": this scheduler knows exactly.ExactCount only");
        }
        String className = exactly.path("deviceClassName").asText();
        JsonNode deviceClass = classes.get(className);
        if (deviceClass == null) {
            throw new UnsatisfiableException("device class " + className + " does not exist");
        }
        List<DeviceSelector> selectors = new ArrayList<>();
        addSelectors(deviceClass.at("/spec/selectors"), selectors);
        addSelectors(exactly.path("selectors"), selectors);
        for (int count = exactly.path("count").asInt(1); count > 0; count--) {
            PublishedDevice device = free(name, selectors, taken);
            taken.add(device.id());
            ObjectNode result = results.addObject()
                    .put("request", name)
                    .put("driver", device.driver())
                    .put("pool", device.pool())
                    .put("device", device.name());
            if (device.shared()) {
                result.put("shareID", UUID.randomUUID().toString());
            }
        }
        for (JsonNode config : deviceClass.at("/spec/config")) {
            configs.add(source(config, "FromClass", JSON.arrayNode().add(name)));
        }
    }

    private PublishedDevice free(String request, List<DeviceSelector> selectors, Set<String> taken)
            throws UnsatisfiableException {
        for (PublishedDevice device : devices) {
            boolean free = !taken.contains(device.id()) && (device.shared() || !held.contains(device.id()));
            if (free && !device.tainted() && selected(device, selectors)) {
                return device;
            }
        }
        throw new UnsatisfiableException("cannot allocate all claims: request " + request + " finds no device");
    }

    private static boolean selected(PublishedDevice device, List<DeviceSelector> selectors)
            throws UnsatisfiableException {
        for (DeviceSelector selector : selectors) {
            if (!selector.selects(device)) {
                return false;
            }
        }
        return true;
    }

    private static void addSelectors(JsonNode selectors, List<DeviceSelector> into) throws UnsatisfiableException {
        for (JsonNode selector : selectors) {
            into.add(new DeviceSelector(selector.at("/cel/expression").asText()));
        }
    }

    private static ObjectNode source(JsonNode config, String source, JsonNode requests) {
        ObjectNode entry = JSON.objectNode().put("source", source);
        if (!requests.isEmpty()) {
            entry.set("requests", requests.deepCopy());
        }
        entry.set("opaque", config.path("opaque").deepCopy());
        return entry;
    }
}
