package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.AskedClaim;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.PreparePlan;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import java.time.Instant;
import java.util.Optional;

/** The way of a claim without threads, files and API server. */
final class Planning {

    private Planning() {}

    /**
     * What becomes of the claim.
     *
     * @param domain the ComputeDomain that has whatever UID the claim names; empty where none has
     */
    static Outcome<PreparePlan> plan(
            ServingPolicy policy,
            NodeInventory node,
            Optional<ComputeDomains.DomainRef> domain,
            ClaimRef ref,
            ClaimStatus status,
            Ledger ledger,
            Instant now) {
        var rules = new ChannelRules(new OneDomain(domain), new FakeInventory(node), policy);
        var planner = new ClaimPlanner<>(rules);
        return planner.answered(ref, ledger)
                .map(Outcome::accepted)
                .or(() -> ClaimPlanner.aborted(ref, status, ledger, now).map(Outcome::refused))
                .orElseGet(() -> read(rules, ref, status)
                        .then(demand -> planner.plan(new AskedClaim<>(ref, status, demand), ledger, now)));
    }

    private static Outcome<ChannelClaim> read(ChannelRules rules, ClaimRef ref, ClaimStatus status) {
        try {
            return rules.read(ref, status);
        } catch (ApiException e) {
            throw new AssertionError(e);
        }
    }

    private record OneDomain(Optional<ComputeDomains.DomainRef> domain) implements ComputeDomains {

        @Override
        public Optional<DomainRef> cached(ComputeDomainUid uid) {
            return domain;
        }

        @Override
        public Optional<DomainRef> live(ComputeDomainUid uid, String namespace) {
            return domain;
        }

        @Override
        public Optional<DomainRef> confirm(DomainRef seen) {
            return domain;
        }
    }
}
