package io.imexagent.e2e.scheduler;

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
 * Gives devices of one node to one claim, the first ones that fit: what class and request select, that no taint keeps
 * away and nobody holds, and that agree in the attributes which the claim's constraints name. A device that may be held
 * by several gives each of them a share ID of its own.
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
     * @throws BrokenSelectorException where a selector breaks on one of the devices
     * @throws UnsatisfiableException where the requests find no devices; nothing is held for the claim then
     */
    ObjectNode allocate(String node, JsonNode claimSpec) throws UnsatisfiableException {
        ArrayNode configs = JSON.arrayNode();
        List<DeviceSearch.Slot> slots = new ArrayList<>();
        for (JsonNode request : claimSpec.at("/devices/requests")) {
            addSlots(request, slots, configs);
        }
        for (JsonNode config : claimSpec.at("/devices/config")) {
            configs.add(source(config, "FromClaim", config.path("requests")));
        }
        List<PublishedDevice> chosen = DeviceSearch.of(slots, claimSpec.at("/devices/constraints"));
        ArrayNode results = JSON.arrayNode();
        for (int at = 0; at < slots.size(); at++) {
            results.add(result(slots.get(at).request(), chosen.get(at)));
            held.add(chosen.get(at).id());
        }
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

    private void addSlots(JsonNode request, List<DeviceSearch.Slot> slots, ArrayNode configs)
            throws UnsatisfiableException {
        String name = request.path("name").asText();
        JsonNode exactly = request.path("exactly");
        String className = exactly.path("deviceClassName").asText();
        JsonNode deviceClass = classes.get(className);
        if (deviceClass == null) {
            throw new UnsatisfiableException("device class " + className + " does not exist");
        }
        switch (exactly.path("allocationMode").asText("ExactCount")) {
            case "ExactCount" -> {
                // A selector never sees a device that is held: what would break on it breaks once it is free again.
                List<PublishedDevice> free = selected(unheld(), deviceClass, exactly).stream()
                        .filter(this::free)
                        .toList();
                for (int count = exactly.path("count").asInt(1); count > 0; count--) {
                    slots.add(new DeviceSearch.Slot(name, free));
                }
            }
            case "All" -> addAll(name, selected(devices, deviceClass, exactly), slots);
            default -> throw new UnsatisfiableException("request " + name + ": this scheduler knows exactly only");
        }
        for (JsonNode config : deviceClass.at("/spec/config")) {
            configs.add(source(config, "FromClass", JSON.arrayNode().add(name)));
        }
    }

    /** Every device that is selected, and at least one; a single one that cannot be had is one too few. */
    private void addAll(String request, List<PublishedDevice> selected, List<DeviceSearch.Slot> slots)
            throws UnsatisfiableException {
        if (selected.isEmpty()) {
            throw DeviceSearch.nothing(request);
        }
        for (PublishedDevice device : selected) {
            if (!free(device)) {
                throw new UnsatisfiableException("cannot allocate all claims: request " + request
                        + " wants all devices, and " + device.name() + (device.tainted() ? " is tainted" : " is held"));
            }
            slots.add(new DeviceSearch.Slot(request, List.of(device)));
        }
    }

    private boolean free(PublishedDevice device) {
        return !device.tainted() && !held(device);
    }

    private boolean held(PublishedDevice device) {
        return !device.shared() && held.contains(device.id());
    }

    private List<PublishedDevice> unheld() {
        return devices.stream().filter(device -> !held(device)).toList();
    }

    private static List<PublishedDevice> selected(List<PublishedDevice> devices, JsonNode deviceClass, JsonNode exactly)
            throws UnsatisfiableException {
        List<DeviceSelector> selectors = new ArrayList<>();
        addSelectors(deviceClass.at("/spec/selectors"), selectors);
        addSelectors(exactly.path("selectors"), selectors);
        List<PublishedDevice> selected = new ArrayList<>();
        for (PublishedDevice device : devices) {
            if (selected(device, selectors)) {
                selected.add(device);
            }
        }
        return selected;
    }

    private static ObjectNode result(String request, PublishedDevice device) {
        ObjectNode result = JSON.objectNode()
                .put("request", request)
                .put("driver", device.driver())
                .put("pool", device.pool())
                .put("device", device.name());
        if (device.shared()) {
            result.put("shareID", UUID.randomUUID().toString());
        }
        return result;
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
