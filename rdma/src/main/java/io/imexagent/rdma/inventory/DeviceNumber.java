package io.imexagent.rdma.inventory;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The number of a device node, {@code 231:192}.
 *
 * @param major 12 bits
 * @param minor 20 bits
 */
public record DeviceNumber(int major, int minor) {

    private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,4}):([0-9]{1,7})");
    private static final int LARGEST_MAJOR = 0xfff;
    private static final int LARGEST_MINOR = 0xfffff;

    /** Takes numbers in their ranges. */
    public DeviceNumber {
        if (major < 0 || major > LARGEST_MAJOR || minor < 0 || minor > LARGEST_MINOR) {
            throw new IllegalArgumentException("no device number: " + major + ":" + minor);
        }
    }

    /** The number in the text of a {@code dev} file, without blanks around it, or empty. */
    public static Optional<DeviceNumber> parse(String text) {
        Matcher matcher = GRAMMAR.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        int major = Integer.parseInt(matcher.group(1));
        int minor = Integer.parseInt(matcher.group(2));
        return major <= LARGEST_MAJOR && minor <= LARGEST_MINOR
                ? Optional.of(new DeviceNumber(major, minor))
                : Optional.empty();
    }

    @Override
    public String toString() {
        return major + ":" + minor;
    }
}
