package io.imexagent.core.claim;

import java.util.Optional;

/** The number of an IMEX channel, 0 to 2²⁰ − 1: the minor of its device node and the {@code id} of its device. */
public record ChannelId(int number) implements Comparable<ChannelId> {

    /** The largest minor of the Linux kernel (MINORBITS is 20). */
    public static final int LARGEST = (1 << 20) - 1;

    private static final String PREFIX = "channel-";

    public ChannelId {
        if (number < 0 || number > LARGEST) {
            throw new IllegalArgumentException("channel " + number + " is not in 0 … " + LARGEST);
        }
    }

    /** The channel of a device name, {@code channel-<number>} in canonical decimal, or empty for any other name. */
    public static Optional<ChannelId> ofDevice(String device) {
        String digits = device.startsWith(PREFIX) ? device.substring(PREFIX.length()) : "";
        boolean canonical = digits.matches("0|[1-9][0-9]{0,6}");
        return canonical && Integer.parseInt(digits) <= LARGEST
                ? Optional.of(new ChannelId(Integer.parseInt(digits)))
                : Optional.empty();
    }

    /** The name of the channel's device in a ResourceSlice. */
    public String device() {
        return PREFIX + number;
    }

    /** The path of the channel's device node. */
    public String path() {
        return "/dev/nvidia-caps-imex-channels/channel" + number;
    }

    @Override
    public int compareTo(ChannelId other) {
        return Integer.compare(number, other.number);
    }

    @Override
    public String toString() {
        return Integer.toString(number);
    }
}
