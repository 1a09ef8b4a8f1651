package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;
import java.util.Optional;

/**
 * A node's word that it uses, or is about to use, the channel of a ComputeDomain, which is empty while it is looked
 * for. One that is {@code kept} was held when the checkpoint was lost: containers may use it of which no checkpoint
 * knows, so it stays held until the node boots again.
 */
public record Hold(DomainName domain, Optional<ChannelId> channel, boolean kept) {

    /** A hold of which the checkpoint knows, or will. */
    public Hold(DomainName domain, Optional<ChannelId> channel) {
        this(domain, channel, false);
    }
}
