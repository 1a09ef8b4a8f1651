package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimDemand;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.ClaimPlanner.PreparePlan;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.clique.DomainName;
import java.time.Instant;
import java.util.List;
import java.util.Map;
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
            Table table,
            ClaimRef ref,
            ClaimStatus status,
            Ledger ledger,
            Instant now) {
        var rules = new ChannelRules(
                new OneDomain(domain), new FakeInventory(node), policy, table, FakePods.UNREAD, () -> 0);
        var planner = new ClaimPlanner<>(rules);
        return planner.answered(ref, ledger)
                .map(Outcome::accepted)
                .or(() -> ClaimPlanner.aborted(ref, status, ledger, now).map(Outcome::refused))
                .orElseGet(() -> read(rules, ref, status)
                        .then(demand -> planner.plan(new ClaimDemand<>(ref, status, demand), ledger, now)));
    }

    /** The effects that leave nothing of the claim; none where the ledger does not know it. */
    static List<Effect> unprepare(ClaimUid claim, Ledger ledger, Instant now) {
        return ledger.entry(claim)
                .map(entry -> ClaimPlanner.unprepare(entry, now))
                .orElse(List.of());
    }

    private static Outcome<ChannelClaim> read(ChannelRules rules, ClaimRef ref, ClaimStatus status) {
        try {
            return rules.read(ref, new ReadClaim(status, Map.of()));
        } catch (ApiException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private record OneDomain(Optional<ComputeDomains.DomainRef> domain) implements ComputeDomains {

        @Override
        public Optional<DomainRef> named(String namespace, String name) {
            throw new AssertionError("the claim notes no name");
        }

        @Override
        public Optional<DomainRef> in(String namespace, ComputeDomainUid uid) {
            return domain.filter(found -> found.namespace().equals(namespace));
        }
    }

    /**
     * What a look for a channel of its own comes to.
     *
     * @param found the channel, or why there is none
     * @param stands whether the hold stands under which it was found
     */
    record Table(Outcome<ChannelId> found, boolean stands) implements OwnChannels {

        /** A table with this channel for whoever asks. */
        static Table of(int channel) {
            return new Table(Outcome.accepted(new ChannelId(channel)), true);
        }

        @Override
        public Outcome<BoundChannel> bind(DomainName domain, CliqueId clique) {
            return found.map(channel -> new BoundChannel(channel, domain.uid(), clique, 1));
        }

        @Override
        public boolean stands(BoundChannel bound) {
            return stands;
        }

        @Override
        public void ended() {}
    }
}
