package io.imexagent.imex.prepare;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ComputeDomainUid;

/**
 * What a claim asks of this node, read from its status alone.
 *
 * @param device the allocated device
 * @param domain the ComputeDomain that the claim belongs to
 * @param owned whether it asks for a channel of its ComputeDomain's own; otherwise for channel 0, which all share
 */
public record Demand(AllocatedDevice device, ComputeDomainUid domain, boolean owned) {}
