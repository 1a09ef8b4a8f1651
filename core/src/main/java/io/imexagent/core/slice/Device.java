package io.imexagent.core.slice;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.setting.NamedChoice;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A device as a ResourceSlice publishes it. The name is a DNS label, unique in the pool; attributes without a domain are
 * of the driver's; a shared one may be held by several claims ({@code allowMultipleAllocations}), each with a share ID.
 */
public record Device(
        String name, SortedMap<String, DeviceAttribute> attributes, List<DeviceTaint> taints, boolean shared) {

    /** The most devices of one slice ({@code resource.k8s.io/v1 ResourceSliceMaxDevices}). */
    public static final int MOST_PER_SLICE = 128;

    /** The most where one is tainted ({@code ResourceSliceMaxDevicesWithTaintsOrConsumesCounters}). */
    public static final int MOST_PER_TAINTED_SLICE = 64;

    public Device {
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, DeviceAttribute>) attributes));
        taints = List.copyOf(taints);
    }

    /** A device for one claim at a time, without taints. */
    public Device(String name, SortedMap<String, DeviceAttribute> attributes) {
        this(name, attributes, List.of(), false);
    }

    /** This device with these taints in place of its own. */
    public Device tainted(List<DeviceTaint> others) {
        return new Device(name, attributes, others, shared);
    }

    /** This device with one attribute more. */
    public Device with(String attribute, DeviceAttribute value) {
        var more = new TreeMap<String, DeviceAttribute>(attributes);
        more.put(attribute, value);
        return new Device(name, more, taints, shared);
    }

    /** This device, for several claims at the same time or for one. */
    public Device shared(boolean allowed) {
        return new Device(name, attributes, taints, allowed);
    }

    /** The device of an IMEX channel: {@code type == "channel"} and its {@code id}, on which device classes select. */
    public static Device channel(ChannelId channel) {
        return new Device(
                channel.device(),
                new TreeMap<>(Map.of(
                        "type",
                        new DeviceAttribute.StringAttribute("channel"),
                        "id",
                        new DeviceAttribute.IntAttribute(channel.number()))));
    }

    /** A taint of a device ({@code DeviceTaint}); the server adds the time, which is not compared. */
    public record DeviceTaint(String key, String value, TaintEffect effect) {

        public enum TaintEffect implements NamedChoice {
            /** Has no effect; it is information alone. */
            NONE,
            /** No new pod gets the device. */
            NO_SCHEDULE,
            /** No new pod gets the device, and those that have it are evicted. */
            NO_EXECUTE
        }
    }

    /** The value of a device attribute: exactly one kind. */
    public sealed interface DeviceAttribute {

        /** A string of at most 64 characters. */
        record StringAttribute(String value) implements DeviceAttribute {}

        record IntAttribute(long value) implements DeviceAttribute {}

        record BoolAttribute(boolean value) implements DeviceAttribute {}

        /** A semantic version, semver 2.0.0 text. */
        record VersionAttribute(String value) implements DeviceAttribute {}
    }
}
