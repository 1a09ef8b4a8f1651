package io.imexagent.rdma.inventory;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The number of a device node, {@code 231:192}: 12 bits of major and 20 of minor. */
public record DeviceNumber(int major, int minor) {

    private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,4}):([0-9]{1,7})");
    private static final int LARGEST_MAJOR = 0xfff;
    private static final int LARGEST_MINOR = 0xfffff;

    /** The number in the text of a {@code dev} file, without blanks around it, or empty. */
    public static Optional<DeviceNumber> parse(String text) {
        Matcher matcher = GRAMMAR.matcher(text);
        return matcher.matches()
                ? Optional.of(new DeviceNumber(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
                        .filter(number -> number.major <= LARGEST_MAJOR && number.minor <= LARGEST_MINOR)
                : Optional.empty();
    }

    @Override
    public String toString() {
        return major + ":" + minor;
    }
}
