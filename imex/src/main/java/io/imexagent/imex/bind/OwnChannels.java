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

/** Where a ComputeDomain's own channel comes from. */
public interface OwnChannels {

    /** None are to be had: for a node where all workloads share channel 0. */
    OwnChannels NONE = new OwnChannels() {
        @Override
        public Outcome<BoundChannel> bind(DomainName domain, CliqueId clique) {
            throw new IllegalStateException("no ComputeDomain has a channel of its own here");
        }

        @Override
        public boolean stands(BoundChannel bound) {
            return false;
        }

        @Override
        public void ended() {}
    };

    /**
     * A channel of a ComputeDomain that may be used in this clique as long as the hold stands under which it was found,
     * {@link HoldState#heldSince}.
     */
    record BoundChannel(ChannelId channel, ComputeDomainUid domain, CliqueId clique, long since) {}

    /**
     * The channel of the ComputeDomain, for the prepare that the calling thread does until it says {@link #ended}. While
     * prepared claims use it, that costs no call. Blocking.
     */
    Outcome<BoundChannel> bind(DomainName domain, CliqueId clique) throws ApiException, InterruptedException;

    /**
     * The calling thread prepares a claim of this ComputeDomain on channel 0, until it says {@link #ended}: a report of who
     * uses that channel can name it. Never blocks.
     */
    default void names(DomainName domain) {}

    /** What the prepare of this thread waits for in {@link #bind} now, as a refusal says it. Never blocks. */
    default Optional<Refusal> waiting(Thread prepare) {
        return Optional.empty();
    }

    /** What the node's object holds in this boot; a boot that either does not know voids nothing. Blocking. */
    default List<Hold> held(Optional<BootId> boot) throws ApiException {
        return List.of();
    }

    /** Whether the hold stands under which the channel was found. Never blocks. */
    boolean stands(BoundChannel bound);

    /**
     * What speaks by now against giving a claim of the ComputeDomain this channel: the clique's table contradicts what its
     * containers use, or the node's use it for another. Never blocks.
     */
    default Optional<Refusal> conflict(DomainName domain, BoundChannel bound) {
        return Optional.empty();
    }

    /** The prepare of the calling thread is over; what no claim uses is given back in the background. Never blocks. */
    void ended();
}
