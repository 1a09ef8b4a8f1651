package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;

/** A channel of a clique, never 0, that belongs to a ComputeDomain, and the node that added the entry. */
public record ChannelEntry(ChannelId id, DomainName domain, String by, EntryState state) {

    /** The state of a channel's assignment to its ComputeDomain. */
    public enum EntryState {
        ASSIGNED,
        /** The channel still belongs to the ComputeDomain, and becomes free unless a node holds it. */
        RELEASING
    }

    /** Rejects channel 0, which all ComputeDomains share. */
    public ChannelEntry {
        if (id.number() == 0) {
            throw new IllegalArgumentException("channel 0 belongs to no ComputeDomain");
        }
    }

    ChannelEntry with(EntryState other) {
        return new ChannelEntry(id, domain, by, other);
    }
}
