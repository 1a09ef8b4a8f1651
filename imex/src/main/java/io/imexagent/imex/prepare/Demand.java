package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;

/**
 * The IMEX channel that a claim asks of this node, read from its status alone.
 *
 * @param device the allocated device
 * @param channel its channel
 * @param domain the ComputeDomain that the claim belongs to
 */
public record Demand(AllocatedDevice device, ChannelId channel, ComputeDomainUid domain) {

    /** Whether the channel is one that belongs to a single ComputeDomain; channel 0 belongs to all. */
    public boolean owned() {
        return channel.number() > 0;
    }
}
