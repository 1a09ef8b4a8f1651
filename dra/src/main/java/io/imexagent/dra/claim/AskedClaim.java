package io.imexagent.dra.claim;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;

/**
 * A claim with what Kubernetes says about it.
 *
 * @param ref the claim that the kubelet named
 * @param status its status
 * @param demand what it asks of the driver
 */
public record AskedClaim<D>(ClaimRef ref, ClaimStatus status, D demand) {}
