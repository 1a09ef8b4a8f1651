package io.imexagent.cdi;

import io.imexagent.core.claim.ClaimEdits;
import java.util.List;
import java.util.TreeMap;

/**
 * A CDI spec as it was read: devices of one kind, and what a runtime does to a container that gets them.
 *
 * @param version the version that the spec declares
 * @param kind the kind of its devices
 * @param devices the devices
 * @param containerEdits what is done for each container that gets any of the devices
 */
public record CdiSpec(CdiVersion version, CdiKind kind, List<Device> devices, ContainerEdits containerEdits) {

    /** Copies the list in. */
    public CdiSpec {
        devices = List.copyOf(devices);
    }

    /** What the spec does, as the agent works it out; what the agent does not choose is lost. */
    ClaimEdits edits() {
        var edits = new TreeMap<String, ClaimEdits.DeviceEdits>();
        devices.forEach(device -> edits.put(
                device.name(),
                new ClaimEdits.DeviceEdits("", device.containerEdits().edits())));
        return new ClaimEdits(containerEdits.edits(), edits);
    }

    /**
     * A device.
     *
     * @param name its name, unique within the kind
     * @param containerEdits what is done for each container that gets it
     */
    public record Device(String name, ContainerEdits containerEdits) {}
}
