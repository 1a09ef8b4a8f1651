package io.imexagent.dra.claim;

import io.imexagent.core.refusal.Refusal;

/** What the kubelet is told about a claim that it wants unprepared. */
public sealed interface UnprepareAnswer {

    /** Nothing is left of the claim. */
    record Done() implements UnprepareAnswer {}

    /**
     * Something is left; the kubelet calls again.
     *
     * @param refusal why
     */
    record Failed(Refusal refusal) implements UnprepareAnswer {}
}
