package io.imexagent.dra.claim;

import io.imexagent.core.ledger.ClaimEntry;
import java.util.List;
import java.util.Optional;

/**
 * How a claim is prepared: once the effects have run, in their order.
 *
 * @param entry what is answered
 * @param grant what the claim is newly given; empty where it is prepared already
 * @param effects what has to be done before the answer
 */
public record PreparePlan(ClaimEntry.Completed entry, Optional<Grant> grant, List<Effect> effects) {

    public PreparePlan {
        effects = List.copyOf(effects);
    }
}
