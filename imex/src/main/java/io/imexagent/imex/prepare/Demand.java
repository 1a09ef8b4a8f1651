package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.refusal.Refusal;

/** What a claim asks of this node, read from its status alone. */
public sealed interface Demand {

    /**
     * One IMEX channel.
     *
     * @param device the allocated device
     * @param channel its channel
     * @param domain the ComputeDomain that the claim belongs to
     */
    record Channel(AllocatedDevice device, ChannelId channel, ComputeDomainUid domain) implements Demand {

        /** Whether the channel is one that belongs to a single ComputeDomain; channel 0 belongs to all. */
        public boolean owned() {
            return channel.number() > 0;
        }
    }

    /**
     * Nothing that this node can give.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements Demand {}
}
