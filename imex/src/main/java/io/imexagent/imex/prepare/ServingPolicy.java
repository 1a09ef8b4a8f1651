package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * How this node serves devices while HostManagedIMEX is on; the pool has the node's name.
 *
 * @param limits with a channel for each workload, how many there are of a clique, and how many for one namespace
 * @param places how many claims may have a channel of the node where the cluster knows no device that several hold
 * @param withholdWithoutClique whether nothing is published while the node has no NVLink clique; otherwise the device
 *     is published and prepare refuses, so that the user sees why
 * @param cliqueMissing what becomes of claims where the GPUs support no fabric; with {@code SUCCEED} devices are never
 *     withheld
 */
public record ServingPolicy(
        String poolName,
        Isolation isolation,
        ChannelTable.Limits limits,
        Sharing sharing,
        int places,
        boolean withholdWithoutClique,
        CliqueMissing cliqueMissing) {

    public static final int USUAL_CHANNELS = 128;
    public static final int USUAL_PLACES = 8;

    /** The device that stands for a channel which is chosen when a claim is prepared. */
    public static final String CHANNEL = "channel";

    private static final String PLACE = "channel-place-";
    private static final Pattern PLACES = Pattern.compile(PLACE + "(0|[1-9][0-9]{0,2})");

    /** Takes two channels or more, of which the first is never one workload's own. */
    public ServingPolicy {
        if (limits.channels() < 2) {
            throw new IllegalArgumentException("there are 2 channels at least, not " + limits.channels());
        }
    }

    /** A policy with the usual numbers, the sharing that goes with the isolation, and refusals where there is no clique. */
    public ServingPolicy(String poolName, Isolation isolation, boolean withholdWithoutClique) {
        this(
                poolName,
                isolation,
                new ChannelTable.Limits(USUAL_CHANNELS, USUAL_CHANNELS),
                Sharing.defaultFor(isolation),
                USUAL_PLACES,
                withholdWithoutClique,
                CliqueMissing.REFUSE);
    }

    /** The device that this node publishes; empty where it serves none. */
    public Optional<String> device() {
        return switch (isolation) {
            case NONE -> Optional.of(new ChannelId(0).device());
            case IMEX_CHANNEL -> Optional.of(CHANNEL);
            case IMEX_DOMAIN -> Optional.empty();
        };
    }

    /** The devices in its place where the cluster knows no device that several claims hold. */
    public List<String> placeNames() {
        return isolation == Isolation.IMEX_CHANNEL
                ? IntStream.range(0, places).mapToObj(place -> PLACE + place).toList()
                : List.of();
    }

    /** Whether a claim that was given this device asks for a channel, of this isolation or of another. */
    boolean isChannel(String device) {
        return chosenLater(device) || ChannelId.ofDevice(device).isPresent();
    }

    /** Whether the device is one that this node hands out, or may have handed out. */
    boolean serves(String device) {
        return switch (isolation) {
            case NONE -> device.equals(new ChannelId(0).device());
            case IMEX_CHANNEL -> chosenLater(device);
            case IMEX_DOMAIN -> false;
        };
    }

    private static boolean chosenLater(String device) {
        return device.equals(CHANNEL) || PLACES.matcher(device).matches();
    }
}
