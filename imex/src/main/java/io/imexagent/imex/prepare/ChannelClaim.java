package io.imexagent.imex.prepare;

import io.imexagent.kubernetes.ComputeDomains;
import java.util.Optional;

/**
 * What a claim asks for, with its ComputeDomain.
 *
 * @param demand what it asks for
 * @param domain the ComputeDomain that it names; empty where a live read confirmed that there is none
 */
public record ChannelClaim(Demand demand, Optional<ComputeDomains.DomainRef> domain) {}
