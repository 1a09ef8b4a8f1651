package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.util.List;
import java.util.Optional;

/** The source of the channels that belong to one ComputeDomain each. */
public interface OwnChannels {

    /**
     * A channel of a ComputeDomain. It may be used in this clique as long as the hold under which it was found stands,
     * by {@link HoldState#heldSince}.
     */
    record BoundChannel(ChannelId channel, ComputeDomainUid domain, CliqueId clique, long since) {}

    /**
     * Finds or adds the channel of the ComputeDomain for the prepare of the calling thread, which ends with {@link
     * #ended}. If prepared claims already use the channel, this needs no API call. Blocking.
     */
    Outcome<BoundChannel> bind(DomainName domain, CliqueId clique) throws ApiException, InterruptedException;

    /**
     * Records that the calling thread prepares a claim of this ComputeDomain on channel 0, until it calls {@link
     * #ended}, so that a report of the channel's users can name the ComputeDomain. Never blocks.
     */
    default void names(DomainName domain) {}

    /** The cause for which the prepare of this thread waits in {@link #bind} now, as a refusal. Never blocks. */
    default Optional<Refusal> waiting(Thread prepare) {
        return Optional.empty();
    }

    /**
     * Reads the holds in the node's object. They are void if the object's boot differs from the running one; if one of
     * the two boots is unknown, they count. Blocking.
     */
    default List<Hold> held(Optional<BootId> boot) throws ApiException {
        return List.of();
    }

    /** Whether the hold under which the channel was found still stands. Never blocks. */
    boolean stands(BoundChannel bound);

    /**
     * The current reason against giving a claim of the ComputeDomain this channel: the clique's table contradicts the
     * use by its containers, or containers of the node use the channel for another ComputeDomain. Never blocks.
     */
    default Optional<Refusal> conflict(DomainName domain, BoundChannel bound) {
        return Optional.empty();
    }

    /** Ends the prepare of the calling thread; unused channels are released in the background. Never blocks. */
    void ended();
}
