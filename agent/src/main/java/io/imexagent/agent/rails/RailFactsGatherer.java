package io.imexagent.agent.rails;

import io.imexagent.agent.prepare.ClaimGatherer;
import io.imexagent.agent.prepare.Gathered;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.prepare.ClaimFacts;
import io.imexagent.core.prepare.ClaimFacts.ClaimLookup;
import io.imexagent.core.prepare.ClaimFacts.DomainLookup;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import java.time.Duration;

/**
 * Asks Kubernetes about a claim for rails: its object is all that counts.
 *
 * @param claims asks for claims; may be slow
 */
public record RailFactsGatherer(Claims claims) implements ClaimGatherer {

    @Override
    public Gathered gather(ClaimRef ref) {
        try {
            return new Gathered(
                    new ClaimFacts(ref, ClaimGatherer.claim(claims, ref), new DomainLookup.NotAsked()), Duration.ZERO);
        } catch (ApiException e) {
            return new Gathered(
                    new ClaimFacts(ref, new ClaimLookup.Failed(e.failure().message()), new DomainLookup.NotAsked()),
                    e.failure().retryAfter().orElse(Duration.ZERO));
        }
    }
}
