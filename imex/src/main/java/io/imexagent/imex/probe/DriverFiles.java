package io.imexagent.imex.probe;

import io.imexagent.core.inventory.ChannelMajor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Reads the state of NVIDIA's kernel driver from files of {@code /proc} and {@code /sys}. */
public final class DriverFiles {

    /** The file of the module's options, lines of {@code <name>: <value>}, below the host's root. */
    public static final Path PARAMETERS = Path.of("proc/driver/nvidia/params");

    /** The name under which the driver registers the channels. {@code nvidia-caps} is a different device. */
    static final String CHANNELS = "nvidia-caps-imex-channels";

    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}");
    private static final String SECTION = "Character devices:";

    /** The largest major: the kernel uses 12 bits. */
    private static final int LARGEST_MAJOR = (1 << 12) - 1;

    /** Paths that exist while the driver's kernel module is loaded, below the host's root. */
    private static final List<Path> MODULE =
            List.of(Path.of("proc/driver/nvidia/version"), Path.of("sys/module/nvidia"));

    private DriverFiles() {}

    /** Whether the driver's kernel module is loaded on the host below this root. */
    static boolean moduleIsLoaded(Path root) {
        return MODULE.stream().map(root::resolve).anyMatch(Files::exists);
    }

    /**
     * The major of IMEX channels in the lines of {@code /proc/devices}, which has sections {@code Character devices:} and
     * {@code Block devices:} of lines {@code <major> <name>} (kernel, {@code fs/proc/devices.c}).
     */
    static ChannelMajor channelMajor(List<String> lines) {
        int start = lines.indexOf(SECTION);
        if (start < 0) {
            return new ChannelMajor.UnknownMajor("/proc/devices has no section \"" + SECTION + "\"");
        }
        return lines.subList(start + 1, lines.size()).stream()
                .map(String::strip)
                .takeWhile(line -> !line.isEmpty() && !line.endsWith(":"))
                .map(line -> line.split(" ", 2))
                .filter(entry -> entry.length == 2 && entry[1].strip().equals(CHANNELS))
                .findFirst()
                .map(entry -> major(entry[0]))
                .orElseGet(ChannelMajor.UnregisteredMajor::new);
    }

    private static ChannelMajor major(String digits) {
        try {
            int major = Integer.parseInt(digits);
            if (major > 0 && major <= LARGEST_MAJOR) {
                return new ChannelMajor.RegisteredMajor(major);
            }
        } catch (NumberFormatException notANumber) {
            // Reported below, together with numbers out of range.
        }
        return new ChannelMajor.UnknownMajor("/proc/devices gives " + CHANNELS + " a major that is none");
    }

    /** The number of IMEX channels in the driver's options; empty if they have none, or not a number. */
    static OptionalInt channelCount(List<String> parameters) {
        return number(parameters, "ImexChannelCount:");
    }

    /** Whether the driver's options make it create channel 0 at its start, open to all users. */
    public static boolean createsChannel0(List<String> parameters) {
        return number(parameters, "CreateImexChannel0:").orElse(0) > 0;
    }

    private static OptionalInt number(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(name.length()).strip())
                .filter(value -> DECIMAL.matcher(value).matches())
                .mapToInt(Integer::parseInt)
                .findFirst();
    }
}
