package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;

/** A channel of a clique, never 0, that belongs to a ComputeDomain, and the node that added the entry. */
public record ChannelEntry(ChannelId id, DomainName domain, String by, EntryState state) {

    /** How firmly a channel belongs to its ComputeDomain. */
    public enum EntryState {
        ASSIGNED,
        /** It is the ComputeDomain's, and will be free unless a node turns up that holds it. */
        RELEASING
    }

    /** Refuses channel 0, which all share. */
    public ChannelEntry {
        if (id.number() == 0) {
            throw new IllegalArgumentException("channel 0 belongs to no ComputeDomain");
        }
    }

    ChannelEntry with(EntryState other) {
        return new ChannelEntry(id, domain, by, other);
    }
}
