package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Refusal;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What one DRA driver makes of claims, over what the node has at this moment. Safe for any thread; writes nothing. */
public interface ClaimRules {

    /** What becomes of the claim of these facts. Never blocks. */
    PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Instant now);

    /** The effects that make a prepared claim usable, as far as the node can tell them at this moment. Never blocks. */
    List<Effect> grant(ClaimEntry.Completed entry);

    /**
     * The look at the node right before the effects of a new promise run, on the lane: whether what was planned with is
     * still so. Empty where it is.
     */
    default Optional<Refusal> lastLook(PrepareOutcome.Ready ready) {
        return Optional.empty();
    }

    /** What the specs of all claims depend on, with a meaningful equals; empty while nobody can tell. Never blocks. */
    Optional<?> basis();

    /** Calls the listener after each change of the node that may change a plan. The listener returns at once. */
    void onChange(Runnable listener);

    /**
     * The answer that already stands in the ledger, whatever Kubernetes says: a prepared claim is prepared once. Its CDI
     * spec is written anew where the node tells how, which changes nothing unless somebody removed or bent it.
     */
    default Optional<PrepareOutcome.Ready> answered(ClaimRef ref, Ledger ledger) {
        return ClaimState.answered(ref, ledger, this::grant);
    }
}
