package io.imexagent.cdi;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A CDI spec: devices of one kind, and what a runtime does to a container that gets them. Whether it keeps the rules,
 * {@link SpecRules} tells.
 *
 * @param version the version that the spec declares
 * @param kind the kind of its devices
 * @param annotations facts about the spec, for people and tools
 * @param devices the devices
 * @param containerEdits what is done for each container that gets any of the devices
 */
public record CdiSpec(
        CdiVersion version,
        CdiKind kind,
        SortedMap<String, String> annotations,
        List<Device> devices,
        ContainerEdits containerEdits) {

    /** Copies the collections in. */
    public CdiSpec {
        annotations = copy(annotations);
        devices = List.copyOf(devices);
    }

    /** A spec of these devices that declares the lowest version that they need, so that the oldest runtimes read it. */
    public static CdiSpec of(CdiKind kind, List<Device> devices) {
        return of(kind, devices, ContainerEdits.NONE);
    }

    /** As above, with edits for each container that gets any of the devices. */
    public static CdiSpec of(CdiKind kind, List<Device> devices, ContainerEdits shared) {
        var any = new CdiSpec(CdiVersion.V0_3_0, kind, Collections.emptySortedMap(), devices, shared);
        return any.withVersion(MinimumVersion.of(any));
    }

    /** This spec, declaring the version. */
    public CdiSpec withVersion(CdiVersion declared) {
        return new CdiSpec(declared, kind, annotations, devices, containerEdits);
    }

    private static SortedMap<String, String> copy(SortedMap<String, String> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, String>) map));
    }

    /**
     * A device.
     *
     * @param name its name, unique within the kind
     * @param annotations facts about the device
     * @param containerEdits what is done for each container that gets it
     */
    public record Device(String name, SortedMap<String, String> annotations, ContainerEdits containerEdits) {

        /** Copies the map in. */
        public Device {
            annotations = copy(annotations);
        }

        /** A device without annotations. */
        public static Device of(String name, ContainerEdits containerEdits) {
            return new Device(name, Collections.emptySortedMap(), containerEdits);
        }
    }
}
