package io.imexagent.imex.prepare;

import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimTerms;
import io.imexagent.dra.claim.Grant;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.dra.driver.DriverClaims.DriverDefinition;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.imex.prepare.DemandReader.Demand;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.imex.prepare.UserNamespaces.PodLookup;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DeviceReports.Facts;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.DomainName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The rules of IMEX channels, by the current state of the node. */
public final class ChannelRules implements ClaimRules<ChannelClaim> {

    public static final CdiKind KIND = CdiKind.of(PreparePlanner.CDI_KIND);

    /** The words of messages for what claims for channels hold. */
    public static final ClaimTerms WORDS = new ClaimTerms("a channel", "channels", "ComputeDomain workloads");

    /** The channel of all workloads if none has its own. */
    static final ChannelId SHARED = new ChannelId(0);

    private final DomainLookup domains;
    private final InventorySource inventory;
    private final DemandReader demands;
    private final PreparePlanner planner;
    private final OwnChannels channels;
    private final UserNamespaces users;

    /** By prepare, the action that ends its last lookup of pods. */
    private final Map<Thread, Runnable> lookups = new ConcurrentHashMap<>();

    /** Creates rules for a node; {@code channels} is the source of channels that belong to one ComputeDomain each. */
    public ChannelRules(
            ComputeDomains domains,
            InventorySource inventory,
            ServingPolicy policy,
            OwnChannels channels,
            UserNamespaces users,
            LongSupplier nanoTime) {
        this.domains = new DomainLookup(domains, nanoTime);
        this.inventory = inventory;
        this.demands = new DemandReader(policy);
        this.planner = new PreparePlanner(policy.sharing(), policy.cliqueMissing());
        this.channels = channels;
        this.users = users;
    }

    /** The driver of channels with these rules; {@code worker} is the name of the worker for its claims. */
    public DriverDefinition<ChannelClaim> driver(String worker, ClaimGuard guard) {
        return new DriverDefinition<>(worker, KIND, CheckpointFormat.PUBLIC_DRIVER, WORDS, guard, this);
    }

    @Override
    public String driverName() {
        return DriverNames.DRIVER;
    }

    @Override
    public Outcome<ChannelClaim> read(ClaimRef ref, ReadClaim claim) throws ApiException, InterruptedException {
        return switch (demands.read(claim.status())) {
            case Outcome.Refused<Demand>(Refusal reason) -> Outcome.refused(reason);
            case Outcome.Accepted<Demand>(Demand demand) -> Outcome.accepted(read(ref, claim, demand));
        };
    }

    /** Reads the claim's ComputeDomain, and its pods at the same time. */
    private ChannelClaim read(ClaimRef ref, ReadClaim claim, Demand demand) throws ApiException, InterruptedException {
        if (demand.owned()) {
            PodLookup<String> pod = latest(users.begin(ref, claim.status()));
            Optional<DomainRef> domain = find(ref, claim, demand);
            return new ChannelClaim(demand, domain, bind(domain, pod), PodLookup.none());
        }
        PodLookup<Refusal> objection = latest(
                users.begin(ref, claim.status(), SHARED, inventory.current().channelMajor()));
        Optional<DomainRef> domain = find(ref, claim, demand);
        domain.ifPresent(found -> channels.names(name(found)));
        return new ChannelClaim(demand, domain, Optional.empty(), objection);
    }

    /** Keeps this lookup, and ends the previous one, which still runs if another check refused that try. */
    private <T> PodLookup<T> latest(PodLookup<T> lookup) {
        Optional.ofNullable(lookups.put(Thread.currentThread(), lookup.end())).ifPresent(Runnable::run);
        return lookup;
    }

    private Optional<DomainRef> find(ClaimRef ref, ReadClaim claim, Demand demand) throws ApiException {
        return domains.find(demand.domain(), ref.name().namespace(), claim.annotations(), demand.owned());
    }

    /** Finds a channel, only if no other check would refuse the claim. */
    private Optional<Outcome<OwnChannels.BoundChannel>> bind(Optional<DomainRef> domain, PodLookup<String> pod)
            throws ApiException, InterruptedException {
        NodeInventory node = inventory.current();
        if (domain.filter(found -> !found.deleting()).isEmpty()
                || !(node.clique() instanceof CliqueState.KnownClique(CliqueId clique))) {
            return Optional.empty();
        }
        Optional<String> ownUsers = pod.await();
        Optional<Refusal> hopeless = ownUsers.flatMap(
                name -> users.refusal(name, demands.policy().limits().channels(), node.channelMajor()));
        return Optional.of(
                hopeless.isPresent()
                        ? Outcome.refused(hopeless.get())
                        : channels.bind(name(domain.get()), clique)
                                .refuseIf(bound -> ownUsers.flatMap(
                                        name -> users.refusal(name, bound.channel(), node.channelMajor()))));
    }

    /** The name of a ComputeDomain in the fabric's objects. */
    public static DomainName name(DomainRef domain) {
        return new DomainName(domain.uid(), domain.namespace(), domain.name());
    }

    @Override
    public void ended() {
        Optional.ofNullable(lookups.remove(Thread.currentThread())).ifPresent(Runnable::run);
        channels.ended();
    }

    @Override
    public Optional<Refusal> waiting(Thread prepare) {
        return channels.waiting(prepare);
    }

    @Override
    public Outcome<Grant> plan(ClaimRef ref, ChannelClaim claim, Ledger ledger) {
        NodeInventory node = inventory.current();
        return claim.binding()
                .flatMap(Outcome::toOptional)
                .flatMap(bound -> past(name(claim.domain().orElseThrow()), bound, node))
                .map(Outcome::<Grant>refused)
                .orElseGet(() -> planner.plan(ref, claim, ledger, node)
                        .refuseIf(grant ->
                                grant.reachesContainers() ? claim.objection().soFar() : Optional.empty()));
    }

    /** The reason why a channel that was found can no longer be granted; empty if it can. */
    private Optional<Refusal> past(DomainName domain, OwnChannels.BoundChannel bound, NodeInventory node) {
        return !channels.stands(bound) || left(bound.clique(), node.clique())
                ? Optional.of(new Refusal(RefusalCode.HOLD_LOST, ChannelBinder.lost(domain)))
                : channels.conflict(domain, bound);
    }

    /**
     * The refusal by the claim's pods. If all workloads share a channel, a known ComputeDomain is not read again, and
     * the pods are read while the grant is written.
     */
    @Override
    public Optional<Refusal> lateObjection(ChannelClaim claim) throws InterruptedException {
        return claim.objection().await();
    }

    /** Whether the node is in another clique, where the channel may be another workload's; the hold follows later. */
    private static boolean left(CliqueId before, CliqueState now) {
        return now instanceof CliqueState.KnownClique(CliqueId clique) && !clique.equals(before);
    }

    @Override
    public Optional<ClaimEdits> edits(ClaimEntry.Completed entry) {
        return PreparePlanner.edits(entry, inventory.current());
    }

    @Override
    public Facts facts(PreparedDevice device) {
        return PreparePlanner.facts(device, inventory.current().clique());
    }

    @Override
    public Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status) {
        return promise(demands.policy(), uid, status);
    }

    /**
     * The devices that a node with this policy would have granted to a claim with this status; refused for the channels
     * 1 and above, which the status does not name. Pure.
     */
    public static Outcome<List<PreparedGroup>> promise(ServingPolicy policy, ClaimUid uid, ClaimStatus status) {
        return new DemandReader(policy)
                .read(status)
                .then(demand -> demand.owned()
                        ? Outcome.refused(RefusalCode.CLAIM_UNREADABLE, "its status does not say which channel it got")
                        : Outcome.accepted(PreparePlanner.groups(uid, demand, new ChannelId(0))));
    }

    @Override
    public ChannelRecall recall() {
        return new ChannelRecall(demands.policy(), channels::held);
    }

    /** The device major, on which the edits depend. */
    @Override
    public Optional<?> basis() {
        return inventory.current().channelMajor() instanceof ChannelMajor.RegisteredMajor registered
                ? Optional.of("major " + registered.major())
                : Optional.empty();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }

    /**
     * Finds the ComputeDomain of a claim: by the name in the claim's annotation, if that object has the claim's
     * domainID as its UID, or otherwise among those of the claim's namespace, and of no other. Blocking.
     */
    static final class DomainLookup {

        private static final Duration FRESH = Duration.ofMinutes(1);
        private static final int MOST_KNOWN = 256;

        private final ComputeDomains domains;
        private final LongSupplier nanoTime;

        /** The ComputeDomains that were found last, by UID; its own monitor guards the map. */
        private final SequencedMap<ComputeDomainUid, CachedDomain> known = new LinkedHashMap<>();

        private record CachedDomain(DomainRef domain, long at) {}

        DomainLookup(ComputeDomains domains, LongSupplier nanoTime) {
            this.domains = domains;
            this.nanoTime = nanoTime;
        }

        /**
         * The ComputeDomain with this UID in the namespace; empty if there is none. {@code live}: it is read from the
         * server, since a cached result is not enough for a channel that belongs to one ComputeDomain.
         */
        Optional<DomainRef> find(ComputeDomainUid uid, String namespace, Map<String, String> annotations, boolean live)
                throws ApiException {
            Optional<DomainRef> cached = live ? Optional.empty() : cached(uid, namespace);
            if (cached.isPresent()) {
                return cached;
            }
            Optional<ClaimName> noted = Optional.ofNullable(annotations.get(DriverNames.DOMAIN_ANNOTATION))
                    .flatMap(name -> ClaimName.parse(namespace, name));
            Optional<DomainRef> named = noted.isPresent()
                    ? domains.named(namespace, noted.get().name())
                            .filter(domain -> domain.uid().equals(uid))
                    : Optional.empty();
            Optional<DomainRef> found = named.isPresent() ? named : domains.in(namespace, uid);
            found.ifPresent(this::remember);
            return found;
        }

        private Optional<DomainRef> cached(ComputeDomainUid uid, String namespace) {
            synchronized (known) {
                return Optional.ofNullable(known.get(uid))
                        .filter(found -> nanoTime.getAsLong() - found.at() < FRESH.toNanos())
                        .map(CachedDomain::domain)
                        .filter(domain -> domain.namespace().equals(namespace));
            }
        }

        private void remember(DomainRef domain) {
            synchronized (known) {
                known.putLast(domain.uid(), new CachedDomain(domain, nanoTime.getAsLong()));
                if (known.size() > MOST_KNOWN) {
                    known.pollFirstEntry();
                }
            }
        }
    }
}
