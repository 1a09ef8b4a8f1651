package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;

/** One durable change to the node. It can be repeated, and leaves either the old or the new state. */
public sealed interface Effect {

    /** Records the entry in the checkpoint, in place of any other entry of the claim. */
    record RecordEntry(ClaimEntry entry) implements Effect {}

    /** Removes the claim's entry from the checkpoint. */
    record ForgetEntry(ClaimUid claim) implements Effect {}

    /** Writes the claim's CDI spec with exactly these edits. */
    record WriteCdi(ClaimUid claim, ClaimEdits edits) implements Effect {}

    /** Removes the claim's CDI spec. */
    record RemoveCdi(ClaimUid claim) implements Effect {}
}
