package io.imexagent.imex.probe;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

/** Reads {@code /proc/driver/nvidia/params}, lines of {@code <name>: <value>} that tell the module's options. */
public final class DriverParameters {

    /** Where it stands, below the host's root. */
    public static final Path FILE = Path.of("proc/driver/nvidia/params");

    private static final String CHANNEL_COUNT = "ImexChannelCount:";
    private static final String CREATES_CHANNEL_0 = "CreateImexChannel0:";

    private DriverParameters() {}

    /** How many IMEX channels the driver offers; empty where it does not say, or says no number. */
    static OptionalInt channelCount(List<String> lines) {
        return number(lines, CHANNEL_COUNT);
    }

    /** Whether the driver makes channel 0 at its start, open to all users. */
    public static boolean createsChannel0(List<String> lines) {
        return number(lines, CREATES_CHANNEL_0).orElse(0) > 0;
    }

    private static OptionalInt number(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .filter(value ->
                        value.length() <= 9 && !value.isEmpty() && value.chars().allMatch(DriverParameters::digit))
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    private static boolean digit(int character) {
        return character >= '0' && character <= '9';
    }
}
