package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.ChannelTable;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The policy by which this node serves devices while HostManagedIMEX is on; the pool has the node's name.
 *
 * @param limits if each workload has a channel, the number of channels of a clique, and the number for one namespace
 * @param places the number of claims that may have a channel of the node, if the cluster does not support devices that
 *     several claims hold
 * @param withholdWithoutClique whether nothing is published while the node has no NVLink clique; otherwise the device
 *     is published and prepare refuses, so that the user sees why
 * @param cliqueMissing the treatment of claims if the GPUs support no fabric; with {@code SUCCEED} devices are never
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

    /** The device for a channel that is chosen when a claim is prepared. */
    public static final String CHANNEL = "channel";

    private static final String PLACE = "channel-place-";
    private static final Pattern PLACES = Pattern.compile(PLACE + "(0|[1-9][0-9]{0,2})");

    /** Requires two channels or more, since the first never belongs to one workload alone. */
    public ServingPolicy {
        if (limits.channels() < 2) {
            throw new IllegalArgumentException("there are 2 channels at least, not " + limits.channels());
        }
    }

    /** The device that this node publishes; empty if it serves none. */
    public Optional<String> device() {
        return switch (isolation) {
            case NONE -> Optional.of(new ChannelId(0).device());
            case IMEX_CHANNEL -> Optional.of(CHANNEL);
            case IMEX_DOMAIN -> Optional.empty();
        };
    }

    /** The numbered devices that replace it if the cluster does not support devices that several claims hold. */
    public List<String> placeNames() {
        return isolation == Isolation.IMEX_CHANNEL
                ? IntStream.range(0, places).mapToObj(place -> PLACE + place).toList()
                : List.of();
    }

    /** Whether a claim with this device requests a channel, of this isolation or of another. */
    boolean isChannel(String device) {
        return chosenLater(device) || ChannelId.ofDevice(device).isPresent();
    }

    /** Whether the device is one that this node serves, or may have served. */
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
