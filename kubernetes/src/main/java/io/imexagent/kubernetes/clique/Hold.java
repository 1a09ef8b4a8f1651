package io.imexagent.kubernetes.clique;

import io.imexagent.core.claim.ChannelId;
import java.util.Optional;

/**
 * A node's word that it uses, or is about to use, the channel of a ComputeDomain.
 *
 * @param domain the ComputeDomain
 * @param channel which channel; empty while the node is still looking for it
 */
public record Hold(DomainName domain, Optional<ChannelId> channel) {}
