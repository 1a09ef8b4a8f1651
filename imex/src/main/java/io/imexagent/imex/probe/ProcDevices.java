package io.imexagent.imex.probe;

import io.imexagent.core.inventory.ChannelMajor;
import java.util.List;

/**
 * Reads the device major of IMEX channels out of {@code /proc/devices}.
 *
 * <p>The file has two sections, {@code Character devices:} and {@code Block devices:}, of lines {@code <major> <name>}
 * (kernel, {@code fs/proc/devices.c}).
 */
final class ProcDevices {

    /** The name under which the driver registers the channels. {@code nvidia-caps} is another device. */
    static final String CHANNELS = "nvidia-caps-imex-channels";

    private static final String SECTION = "Character devices:";

    /** The kernel gives out majors of 12 bits. */
    private static final int LARGEST_MAJOR = (1 << 12) - 1;

    private ProcDevices() {}

    /** The major in the lines of the file. */
    static ChannelMajor parse(List<String> lines) {
        int start = lines.indexOf(SECTION);
        if (start < 0) {
            return new ChannelMajor.Unknown("/proc/devices has no section \"" + SECTION + "\"");
        }
        for (String line : lines.subList(start + 1, lines.size())) {
            String entry = line.strip();
            if (entry.isEmpty() || entry.endsWith(":")) {
                break;
            }
            int space = entry.indexOf(' ');
            if (space > 0 && entry.substring(space + 1).strip().equals(CHANNELS)) {
                return major(entry.substring(0, space));
            }
        }
        return new ChannelMajor.NotRegistered();
    }

    private static ChannelMajor major(String digits) {
        try {
            int major = Integer.parseInt(digits);
            if (major > 0 && major <= LARGEST_MAJOR) {
                return new ChannelMajor.Registered(major);
            }
        } catch (NumberFormatException notANumber) {
            // Told below, together with numbers out of range.
        }
        return new ChannelMajor.Unknown("/proc/devices gives " + CHANNELS + " a major that is none");
    }
}
