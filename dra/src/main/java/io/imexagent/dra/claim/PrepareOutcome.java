package io.imexagent.dra.claim;

import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.refusal.Refusal;
import java.util.List;

/** What is to be done with a claim that the kubelet wants prepared. */
public sealed interface PrepareOutcome {

    /**
     * The claim is prepared once the effects have run, in their order.
     *
     * @param entry what is answered
     * @param effects what has to be done before the answer; none where nothing is left to do
     */
    record Ready(ClaimEntry.Completed entry, List<Effect> effects) implements PrepareOutcome {

        /** Copies the list in. */
        public Ready {
            effects = List.copyOf(effects);
        }

        /** Whether the ledger gets a promise that it did not have; otherwise the claim is prepared already. */
        public boolean promisesAnew() {
            return effects.stream().anyMatch(Effect.RecordEntry.class::isInstance);
        }
    }

    /**
     * The claim is not prepared, and nothing changes.
     *
     * @param refusal why
     */
    record Refused(Refusal refusal) implements PrepareOutcome {}
}
