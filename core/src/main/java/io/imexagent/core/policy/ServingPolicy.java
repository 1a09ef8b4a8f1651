package io.imexagent.core.policy;

import io.imexagent.core.claim.ChannelId;

/**
 * How this node serves devices while HostManagedIMEX is on.
 *
 * @param poolName the pool of the node's devices: the node's name
 * @param isolation how workloads are kept apart
 * @param withholdWithoutClique whether nothing is published while the node has no NVLink clique; otherwise the device is
 *     published and prepare refuses, so that the user sees why
 */
public record ServingPolicy(String poolName, Isolation isolation, boolean withholdWithoutClique) {

    /** Whether the channel is one that this node hands out. */
    public boolean serves(ChannelId channel) {
        return switch (isolation) {
            case NONE -> channel.number() == 0;
            case IMEX_CHANNEL -> channel.number() > 0;
            case IMEX_DOMAIN -> false;
        };
    }
}
