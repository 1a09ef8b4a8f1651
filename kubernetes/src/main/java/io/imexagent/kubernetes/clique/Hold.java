package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;
import java.util.Optional;

/**
 * A node's word that it uses, or is about to use, the channel of a ComputeDomain, which is empty while it is looked
 * for. One that is {@code kept} was held when the checkpoint was lost: containers may use it of which no checkpoint
 * knows, so it stays held until the node boots again. A hold of channel 0, which all ComputeDomains share, is a report
 * alone: it comes after the container, and no table has an entry for it.
 */
public record Hold(DomainName domain, Optional<ChannelId> channel, boolean kept) {

    /** Whether it keeps an entry of a clique's table. */
    public boolean binds() {
        return channel.filter(id -> id.number() == 0).isEmpty();
    }

    /** A hold of which the checkpoint knows, or will. */
    public Hold(DomainName domain, Optional<ChannelId> channel) {
        this(domain, channel, false);
    }
}
