package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;
import java.util.Optional;

/**
 * A node's statement that it uses, or is about to use, the channel of a ComputeDomain; the channel is empty until it is
 * assigned. A {@code kept} hold existed when the checkpoint was lost: containers that are in no checkpoint may use the
 * channel, so the node holds it until it reboots. A hold of channel 0, which all ComputeDomains share, is only a
 * report: it is written after the container has started, and no table has an entry for it.
 */
public record Hold(DomainName domain, Optional<ChannelId> channel, boolean kept) {

    /** Whether the hold keeps an entry of a clique's table. */
    public boolean binds() {
        return channel.filter(id -> id.number() == 0).isEmpty();
    }

    /** Creates a hold that is in the checkpoint, or will be. */
    public Hold(DomainName domain, Optional<ChannelId> channel) {
        this(domain, channel, false);
    }
}
