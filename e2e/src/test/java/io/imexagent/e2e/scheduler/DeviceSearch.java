package io.imexagent.e2e.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds a device for each slot of a claim, so that all constraints hold; the first combination in the slices' order. */
final class DeviceSearch {

    /**
     * One device that a request wants.
     *
     * @param request the request
     * @param candidates the devices that would do, in their order
     */
    record Slot(String request, List<PublishedDevice> candidates) {}

    private final List<Slot> slots;
    private final List<JsonNode> constraints = new ArrayList<>();
    private final List<PublishedDevice> chosen = new ArrayList<>();
    private int furthest;
    private String violated = "";

    private DeviceSearch(List<Slot> slots, JsonNode constraints) throws UnsatisfiableException {
        this.slots = slots;
        for (JsonNode constraint : constraints) {
            if (!constraint.has("matchAttribute")) {
                throw new UnsatisfiableException("this scheduler knows the constraint matchAttribute only");
            }
            this.constraints.add(constraint);
        }
    }

    /**
     * A device for each slot.
     *
     * @param constraints the claim's constraints, {@code matchAttribute} over all or some requests
     * @throws UnsatisfiableException where there is no such combination
     */
    static List<PublishedDevice> of(List<Slot> slots, JsonNode constraints) throws UnsatisfiableException {
        var search = new DeviceSearch(slots, constraints);
        if (search.fill(0)) {
            return search.chosen;
        }
        String request = slots.get(search.furthest).request();
        throw search.violated.isEmpty()
                ? nothing(request)
                : new UnsatisfiableException("cannot allocate all claims: request " + request
                        + " finds no device with the same " + search.violated);
    }

    /** What is told where no device does for a request. */
    static UnsatisfiableException nothing(String request) {
        return new UnsatisfiableException("cannot allocate all claims: request " + request + " finds no device");
    }

    private boolean fill(int slot) {
        if (slot == slots.size()) {
            return true;
        }
        furthest = Math.max(furthest, slot);
        for (PublishedDevice device : slots.get(slot).candidates()) {
            if (chosen.stream().noneMatch(one -> one.id().equals(device.id())) && agrees(slot, device)) {
                chosen.add(device);
                if (fill(slot + 1)) {
                    return true;
                }
                chosen.removeLast();
            }
        }
        return false;
    }

    private boolean agrees(int slot, PublishedDevice device) {
        for (JsonNode constraint : constraints) {
            String attribute = constraint.path("matchAttribute").asText();
            Optional<Object> value = device.attribute(attribute);
            if (covers(constraint, slot) && (value.isEmpty() || !value.equals(first(constraint, attribute, value)))) {
                violated = attribute;
                return false;
            }
        }
        return true;
    }

    /** What the devices that were chosen under the constraint agree in; this value where there is none yet. */
    private Optional<Object> first(JsonNode constraint, String attribute, Optional<Object> value) {
        for (int slot = 0; slot < chosen.size(); slot++) {
            if (covers(constraint, slot)) {
                return chosen.get(slot).attribute(attribute);
            }
        }
        return value;
    }

    private boolean covers(JsonNode constraint, int slot) {
        JsonNode requests = constraint.path("requests");
        return requests.isEmpty()
                || requests.valueStream()
                        .anyMatch(name -> name.asText().equals(slots.get(slot).request()));
    }
}
