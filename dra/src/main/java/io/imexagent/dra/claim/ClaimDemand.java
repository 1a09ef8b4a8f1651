package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;

/** A claim with what Kubernetes says about it. */
public record ClaimDemand<D>(ClaimRef ref, ClaimStatus status, D demand) {}
