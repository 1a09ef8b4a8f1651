package io.imexagent.core.slice;

import io.imexagent.core.claim.ChannelId;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A device as a ResourceSlice publishes it.
 *
 * @param name a DNS label, unique in the pool
 * @param attributes attribute name to value; names without a domain belong to the driver's domain
 */
public record Device(String name, SortedMap<String, Attribute> attributes) {

    /** Copies the attributes in. */
    public Device {
        attributes = Collections.unmodifiableSortedMap(new TreeMap<>((Map<String, Attribute>) attributes));
    }

    /** The device of an IMEX channel: {@code type == "channel"} and its {@code id}, on which device classes select. */
    public static Device channel(ChannelId channel) {
        return new Device(
                channel.device(),
                new TreeMap<>(
                        Map.of("type", new Attribute.Text("channel"), "id", new Attribute.Whole(channel.number()))));
    }

    /** The value of a device attribute: exactly one kind. */
    public sealed interface Attribute {

        /**
         * A string.
         *
         * @param value at most 64 characters
         */
        record Text(String value) implements Attribute {}

        /**
         * An integer.
         *
         * @param value 64 bits
         */
        record Whole(long value) implements Attribute {}

        /**
         * A boolean.
         *
         * @param value the value
         */
        record Flag(boolean value) implements Attribute {}

        /**
         * A semantic version.
         *
         * @param value semver 2.0.0 text
         */
        record Version(String value) implements Attribute {}
    }
}
