package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;

/** One durable change to the node. Each can be repeated, and leaves the old or the new state, nothing between. */
public sealed interface Effect {

    /** The entry stands in the checkpoint in the place of any other of its claim. */
    record RecordEntry(ClaimEntry entry) implements Effect {}

    /** The checkpoint does not know the claim. */
    record ForgetEntry(ClaimUid claim) implements Effect {}

    /** The claim's CDI spec does this to containers and nothing else. */
    record WriteCdi(ClaimUid claim, ClaimEdits edits) implements Effect {}

    /** The claim has no CDI spec. */
    record RemoveCdi(ClaimUid claim) implements Effect {}
}
