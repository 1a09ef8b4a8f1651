package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ComputeDomainUid;

/**
 * What a claim asks of this node, read from its status alone: {@code owned} for a channel of its ComputeDomain's own,
 * otherwise channel 0, which all share.
 */
public record Demand(AllocatedDevice device, ComputeDomainUid domain, boolean owned) {}
