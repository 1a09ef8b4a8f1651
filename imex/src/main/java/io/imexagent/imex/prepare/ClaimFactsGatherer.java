package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimFacts.ClaimLookup;
import io.imexagent.dra.claim.ClaimFacts.DomainLookup;
import io.imexagent.dra.claim.ClaimGatherer;
import io.imexagent.dra.claim.Gathered;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.ComputeDomains;
import java.time.Duration;
import java.util.Optional;

/**
 * Asks Kubernetes about one claim: its object, and the ComputeDomain that it names. Blocking: call on a virtual thread,
 * one for each claim.
 *
 * <p>For channel 0 a ComputeDomain is looked for in the watch's cache; only one that is missing there costs a call,
 * since a claim that is seconds old may be faster than the watch. While the watch does not stand its cache may be stale,
 * and each claim costs that call.
 *
 * <p>A channel of its own is never granted from the cache: a watch that is dead without having failed would let a node
 * hand out a channel that the controller has given to another ComputeDomain since. Each claim costs one read of its
 * ComputeDomain then, made after that of the claim; the cache only says under which name it is.
 */
public final class ClaimFactsGatherer implements ClaimGatherer {

    private final Claims claims;
    private final ComputeDomains domains;
    private final DemandReader demands;

    /** A gatherer that finds the ComputeDomain of a claim with this reader. */
    public ClaimFactsGatherer(Claims claims, ComputeDomains domains, DemandReader demands) {
        this.claims = claims;
        this.domains = domains;
        this.demands = demands;
    }

    @Override
    public Gathered gather(ClaimRef ref) {
        try {
            return switch (ClaimGatherer.claim(claims, ref)) {
                case ClaimLookup.Found found -> withDomain(ref, found);
                case ClaimLookup.Missing missing -> without(ref, missing);
                case ClaimLookup.Replaced replaced -> without(ref, replaced);
                case ClaimLookup.Unreadable unreadable -> without(ref, unreadable);
                case ClaimLookup.Failed failed -> without(ref, failed);
            };
        } catch (ApiException e) {
            return new Gathered(
                    new ClaimFacts(ref, new ClaimLookup.Failed(e.failure().message()), new DomainLookup.NotAsked()),
                    restFor(e));
        }
    }

    private static Gathered without(ClaimRef ref, ClaimLookup lookup) {
        return new Gathered(new ClaimFacts(ref, lookup, new DomainLookup.NotAsked()), Duration.ZERO);
    }

    private Gathered withDomain(ClaimRef ref, ClaimLookup.Found claim) {
        return switch (demands.read(claim.status())) {
            case Demand.Refused refused -> without(ref, claim);
            case Demand.Channel channel -> withDomain(ref, claim, channel);
        };
    }

    private Gathered withDomain(ClaimRef ref, ClaimLookup.Found claim, Demand.Channel demand) {
        try {
            return new Gathered(
                    new ClaimFacts(ref, claim, domain(demand, ref.name().namespace())), Duration.ZERO);
        } catch (ApiException e) {
            return new Gathered(
                    new ClaimFacts(
                            ref, claim, new DomainLookup.Failed(e.failure().message())),
                    restFor(e));
        }
    }

    private DomainLookup domain(Demand.Channel demand, String namespace) throws ApiException {
        Optional<ComputeDomains.DomainRef> found = atHand(demand);
        if (found.isEmpty()) {
            found = domains.live(demand.domain(), namespace);
        }
        return found.<DomainLookup>map(domain ->
                        new DomainLookup.Found(domain.namespace(), domain.name(), domain.channel(), domain.deleting()))
                .orElseGet(DomainLookup.Missing::new);
    }

    /** The ComputeDomain that the watch knows, as far as that is good enough; empty where it must be looked for. */
    private Optional<ComputeDomains.DomainRef> atHand(Demand.Channel demand) throws ApiException {
        Optional<ComputeDomains.DomainRef> cached = domains.cached(demand.domain());
        if (demand.owned()) {
            return cached.isEmpty() ? Optional.empty() : domains.confirm(cached.get());
        }
        return cached.filter(domain -> domains.watchFailure().isEmpty());
    }

    private static Duration restFor(ApiException e) {
        return e.failure().retryAfter().orElse(Duration.ZERO);
    }
}
