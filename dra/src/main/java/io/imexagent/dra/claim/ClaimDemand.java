package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;

/** A claim, its status from the API server, and the demand that the driver read from it. */
public record ClaimDemand<D>(ClaimRef ref, ClaimStatus status, D demand) {}
