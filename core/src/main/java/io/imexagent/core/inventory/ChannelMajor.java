package io.imexagent.core.inventory;

import java.util.Optional;

/** The device major of IMEX channels, {@code nvidia-caps-imex-channels} in {@code /proc/devices}. */
public sealed interface ChannelMajor {

    /** The kernel module registered this major, which is dynamic and possibly above 255. */
    record RegisteredMajor(int major) implements ChannelMajor {}

    /** The kernel lists no such device: the driver is not loaded, or its IMEX channels are off. */
    record UnregisteredMajor() implements ChannelMajor {}

    /** {@code /proc/devices} could not be read or understood. */
    record UnknownMajor(String detail) implements ChannelMajor {}

    /** The major, or one word for the reason why there is none. */
    default String text() {
        return switch (this) {
            case RegisteredMajor registered -> Integer.toString(registered.major());
            case UnregisteredMajor none -> "none";
            case UnknownMajor unknown -> "unknown";
        };
    }

    /** Why the major is unknown, as a clause; empty if it is known. */
    default Optional<String> why() {
        return this instanceof UnknownMajor unknown ? Optional.of(unknown.detail()) : Optional.empty();
    }
}
