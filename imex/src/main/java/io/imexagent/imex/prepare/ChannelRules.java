package io.imexagent.imex.prepare;

import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Grant;
import io.imexagent.dra.driver.Driver;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.DriverNames;
import java.util.List;
import java.util.Optional;

/** The rules of IMEX channels, over the node as it is. */
public final class ChannelRules implements ClaimRules<ChannelClaim> {

    /** The kind of the CDI devices of channels. */
    public static final CdiKind KIND = CdiKind.parse(ChannelEdits.CDI_KIND).orElseThrow();

    /** How people are told what claims for channels hold. */
    public static final ClaimWords WORDS = new ClaimWords("a channel", "channels", "ComputeDomain workloads");

    private final ComputeDomains domains;
    private final InventorySource inventory;
    private final DemandReader demands;
    private final PreparePlanner planner;

    /**
     * Rules for a node.
     *
     * @param domains the cluster's ComputeDomains
     * @param inventory the node
     * @param policy how it serves devices
     */
    public ChannelRules(ComputeDomains domains, InventorySource inventory, ServingPolicy policy) {
        this.domains = domains;
        this.inventory = inventory;
        this.demands = new DemandReader(policy);
        this.planner = new PreparePlanner(policy.sharing());
    }

    /**
     * The driver of channels with these rules.
     *
     * @param worker the name of the worker of its claims
     * @param guard judges claims that it did not prepare itself
     */
    public Driver<ChannelClaim> driver(String worker, ClaimGuard guard) {
        return new Driver<>(DriverNames.DRIVER, worker, KIND, CheckpointFormat.PUBLIC_DRIVER, WORDS, guard, this);
    }

    @Override
    public Outcome<ChannelClaim> read(ClaimRef ref, ClaimStatus status) throws ApiException {
        return switch (demands.read(status)) {
            case Outcome.Refused<Demand>(Refusal reason) -> Outcome.refused(reason);
            case Outcome.Accepted<Demand>(Demand demand) ->
                Outcome.accepted(
                        new ChannelClaim(demand, domain(demand, ref.name().namespace())));
        };
    }

    /**
     * The ComputeDomain that the claim names. For channel 0 it is looked for in the watch's cache; only one that is
     * missing there costs a call, since a claim that is seconds old may be faster than the watch. While the watch does not
     * stand its cache may be stale, and each claim costs that call.
     *
     * <p>A channel of its own is never granted from the cache: a watch that is dead without having failed would let a node
     * hand out a channel that the controller has given to another ComputeDomain since. Each claim costs one read of its
     * ComputeDomain then, made after that of the claim; the cache only says under which name it is.
     */
    private Optional<ComputeDomains.DomainRef> domain(Demand demand, String namespace) throws ApiException {
        Optional<ComputeDomains.DomainRef> cached = domains.cached(demand.domain());
        Optional<ComputeDomains.DomainRef> atHand;
        if (demand.owned()) {
            atHand = cached.isEmpty() ? Optional.empty() : domains.confirm(cached.get());
        } else {
            atHand = cached.filter(domain -> domains.watchFailure().isEmpty());
        }
        return atHand.isPresent() ? atHand : domains.live(demand.domain(), namespace);
    }

    @Override
    public Outcome<Grant> plan(ClaimRef ref, ChannelClaim claim, Ledger ledger) {
        return planner.plan(ref, claim, ledger, inventory.current());
    }

    @Override
    public Optional<ClaimEdits> edits(ClaimEntry.Completed entry) {
        return PreparePlanner.edits(entry, inventory.current());
    }

    @Override
    public Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status) {
        return promise(demands, uid, status);
    }

    /** The devices that a claim of this status would have been given by a node with this policy. Pure. */
    public static Outcome<List<PreparedGroup>> promise(ServingPolicy policy, ClaimUid uid, ClaimStatus status) {
        return promise(new DemandReader(policy), uid, status);
    }

    private static Outcome<List<PreparedGroup>> promise(DemandReader demands, ClaimUid uid, ClaimStatus status) {
        return demands.read(status).map(demand -> PreparePlanner.groups(uid, demand));
    }

    /** The device major. */
    @Override
    public Optional<?> basis() {
        return inventory.current().channelMajor() instanceof ChannelMajor.Registered registered
                ? Optional.of(registered)
                : Optional.empty();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }
}
