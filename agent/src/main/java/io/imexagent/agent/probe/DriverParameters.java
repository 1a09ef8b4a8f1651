package io.imexagent.agent.probe;

import java.util.List;
import java.util.OptionalInt;

/** Reads {@code /proc/driver/nvidia/params}, lines of {@code <name>: <value>} that tell the module's options. */
final class DriverParameters {

    private static final String CHANNEL_COUNT = "ImexChannelCount:";

    private DriverParameters() {}

    /** How many IMEX channels the driver offers; empty where it does not say, or says no number. */
    static OptionalInt channelCount(List<String> lines) {
        return lines.stream()
                .filter(line -> line.startsWith(CHANNEL_COUNT))
                .map(line -> line.substring(CHANNEL_COUNT.length()).strip())
                .filter(value ->
                        value.length() <= 9 && !value.isEmpty() && value.chars().allMatch(DriverParameters::digit))
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    private static boolean digit(int character) {
        return character >= '0' && character <= '9';
    }
}
