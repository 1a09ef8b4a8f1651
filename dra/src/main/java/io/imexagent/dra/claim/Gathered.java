package io.imexagent.dra.claim;

import java.time.Duration;

/**
 * What Kubernetes says about a claim.
 *
 * @param facts what it says
 * @param restFor how long the API server wants to be left alone; zero where it did not say
 */
public record Gathered(ClaimFacts facts, Duration restFor) {}
