package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimStatus;
import java.util.Map;

/**
 * A claim as the API server has it.
 *
 * @param status its status
 * @param annotations what its maker noted on it, unchecked
 */
public record ReadClaim(ClaimStatus status, Map<String, String> annotations) {

    /** Copies the annotations in. */
    public ReadClaim {
        annotations = Map.copyOf(annotations);
    }
}
