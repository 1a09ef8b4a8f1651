package io.imexagent.cdi;

import java.util.List;

/**
 * A CDI spec: devices of one kind, and what a runtime does to a container that gets them. Whether it keeps the rules,
 * {@link SpecRules} tells.
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

    /**
     * A spec of these devices, and of edits for each container that gets any of them, that declares the lowest version
     * that they need, so that the oldest runtimes read it.
     */
    public static CdiSpec of(CdiKind kind, List<Device> devices, ContainerEdits shared) {
        var any = new CdiSpec(CdiVersion.V0_3_0, kind, devices, shared);
        return new CdiSpec(MinimumVersion.of(any), kind, devices, shared);
    }

    /**
     * A device.
     *
     * @param name its name, unique within the kind
     * @param containerEdits what is done for each container that gets it
     */
    public record Device(String name, ContainerEdits containerEdits) {}
}
