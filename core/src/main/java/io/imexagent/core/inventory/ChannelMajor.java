package io.imexagent.core.inventory;

/** The device major of IMEX channels, {@code nvidia-caps-imex-channels} in {@code /proc/devices}. */
public sealed interface ChannelMajor {

    /**
     * The kernel module registered it.
     *
     * @param major the major, dynamic and possibly above 255
     */
    record Registered(int major) implements ChannelMajor {}

    /** The kernel lists no such device: the driver is not loaded, or its IMEX channels are off. */
    record NotRegistered() implements ChannelMajor {}

    /**
     * {@code /proc/devices} could not be read or understood.
     *
     * @param detail why
     */
    record Unknown(String detail) implements ChannelMajor {}
}
