package io.imexagent.fabric.local;

import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelMajor.RegisteredMajor;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The two channels of a local test, and the major number of their device nodes. */
public record ChannelPair(int major, int first, int second) {

    /** The first channel that no table of a clique assigns, so that no workload uses it or a higher one. */
    static final int UNBOUND = 256;

    private static final Pattern NAMED = Pattern.compile("([1-9]\\d{0,3}),([1-9]\\d{0,3})");

    /** The channels of the test, or the reason why there are none, as a clause. */
    public sealed interface ChannelChoice {
        record Chosen(ChannelPair pair) implements ChannelChoice {}

        record NoChannels(String reason) implements ChannelChoice {}
    }

    /**
     * Chooses the two channels of the test: those that the operator named, or two unassigned ones. {@code count} is the
     * number of channels of the driver.
     *
     * @throws IllegalArgumentException if {@code named} is not two different channels from 1 to 9999; the message says
     *     why
     */
    public static ChannelChoice choose(ChannelMajor major, OptionalInt count, Optional<String> named) {
        Optional<List<Integer>> two = named.map(ChannelPair::parse);
        if (!(major instanceof RegisteredMajor(int number))) {
            return new ChannelChoice.NoChannels(major.why()
                    .map(why -> "the major of IMEX channels is unknown: " + why)
                    .orElse("the driver has no IMEX channels (nvidia-caps-imex-channels is not in /proc/devices): load"
                            + " it with NVreg_ImexChannelCount=2048"));
        }
        if (count.isEmpty()) {
            return new ChannelChoice.NoChannels("/proc/driver/nvidia/params does not have ImexChannelCount");
        }
        List<Integer> channels = two.orElse(List.of(UNBOUND, UNBOUND + 1));
        if (channels.stream().anyMatch(channel -> channel >= count.getAsInt())) {
            return new ChannelChoice.NoChannels(
                    "the driver has " + count.getAsInt() + " channels (ImexChannelCount), and the"
                            + " test takes " + channels.getFirst() + " and " + channels.getLast()
                            + "; on a node without workloads, --channels names two that it has");
        }
        return new ChannelChoice.Chosen(new ChannelPair(number, channels.getFirst(), channels.getLast()));
    }

    private static List<Integer> parse(String named) {
        Matcher two = NAMED.matcher(named);
        if (!two.matches() || two.group(1).equals(two.group(2))) {
            throw new IllegalArgumentException(
                    "--channels takes two channels, such as 256,257, and never channel 0: '" + named + "' is not that");
        }
        return List.of(Integer.valueOf(two.group(1)), Integer.valueOf(two.group(2)));
    }
}
