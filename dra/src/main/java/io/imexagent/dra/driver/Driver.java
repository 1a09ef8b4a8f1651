package io.imexagent.dra.driver;

import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWords;

/**
 * What makes one DRA driver differ from another.
 *
 * @param worker the name of the worker of its claims
 * @param words how messages name what its claims hold
 * @param guard judges claims that it did not prepare itself
 */
public record Driver<D>(
        String worker, CdiKind kind, CheckpointFormat format, ClaimWords words, ClaimGuard guard, ClaimRules<D> rules) {

    /** The driver's name. */
    public String name() {
        return rules.driverName();
    }
}
