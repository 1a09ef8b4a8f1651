package io.imexagent.core.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import java.util.List;

/** One durable change to the node. Each can be repeated, and leaves the old or the new state, nothing between. */
public sealed interface Effect {

    /**
     * The entry stands in the checkpoint.
     *
     * @param entry the claim's new entry
     */
    record RecordEntry(ClaimEntry entry) implements Effect {}

    /**
     * The checkpoint does not know the claim.
     *
     * @param claim the claim
     */
    record ForgetEntry(ClaimUid claim) implements Effect {}

    /**
     * The claim's CDI spec grants these channels and nothing else.
     *
     * @param claim the claim
     * @param grants the channels
     */
    record WriteCdi(ClaimUid claim, List<ChannelGrant> grants) implements Effect {

        /** Copies the list in. */
        public WriteCdi {
            grants = List.copyOf(grants);
        }
    }

    /**
     * The claim's CDI spec does this to containers and nothing else.
     *
     * @param claim the claim
     * @param edits what it does
     */
    record WriteEdits(ClaimUid claim, ClaimEdits edits) implements Effect {}

    /**
     * The claim has no CDI spec.
     *
     * @param claim the claim
     */
    record RemoveCdi(ClaimUid claim) implements Effect {}

    /**
     * A channel for a container.
     *
     * @param channel the channel, the minor of its node
     * @param major the device major
     */
    record ChannelGrant(ChannelId channel, int major) {}
}
