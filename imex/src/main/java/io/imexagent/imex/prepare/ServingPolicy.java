package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.policy.Isolation;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * How this node serves devices while HostManagedIMEX is on.
 *
 * @param poolName the pool of the node's devices: the node's name
 * @param isolation how workloads are kept apart
 * @param channels N, from 2: with a channel for each workload, channels 1 … N−1 are handed out
 * @param sharing which claims may hold one channel at the same time
 * @param withholdWithoutClique whether nothing is published while the node has no NVLink clique; otherwise the device is
 *     published and prepare refuses, so that the user sees why
 */
public record ServingPolicy(
        String poolName, Isolation isolation, int channels, Sharing sharing, boolean withholdWithoutClique) {

    /** How many channels there are where nobody says otherwise. */
    public static final int USUAL_CHANNELS = 128;

    /** Takes two channels or more, of which the first is never handed out to a single workload. */
    public ServingPolicy {
        if (channels < 2) {
            throw new IllegalArgumentException("there are 2 channels at least, not " + channels);
        }
    }

    /** A policy with the usual number of channels, and the sharing that goes with the isolation. */
    public ServingPolicy(String poolName, Isolation isolation, boolean withholdWithoutClique) {
        this(poolName, isolation, USUAL_CHANNELS, Sharing.standard(isolation), withholdWithoutClique);
    }

    /** Whether the channel is one that this node hands out. */
    public boolean serves(ChannelId channel) {
        return switch (isolation) {
            case NONE -> channel.number() == 0;
            case IMEX_CHANNEL -> channel.number() > 0 && channel.number() < channels;
            case IMEX_DOMAIN -> false;
        };
    }

    /**
     * The channels that this node hands out, in the order of their numbers.
     *
     * @param offered how many channels the driver offers; empty where it does not say
     */
    public List<ChannelId> channels(OptionalInt offered) {
        return switch (isolation) {
            case NONE -> List.of(new ChannelId(0));
            case IMEX_CHANNEL ->
                IntStream.range(1, Math.min(channels, offered.orElse(channels)))
                        .mapToObj(ChannelId::new)
                        .toList();
            case IMEX_DOMAIN -> List.of();
        };
    }
}
