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
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.Grant;
import io.imexagent.dra.claim.ReadClaim;
import io.imexagent.dra.driver.DriverClaims.Driver;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.imex.prepare.DemandReader.Demand;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.ComputeDomains.DomainRef;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.DomainName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.LongSupplier;

/** The rules of IMEX channels, over the node as it is. */
public final class ChannelRules implements ClaimRules<ChannelClaim> {

    public static final CdiKind KIND = CdiKind.of(PreparePlanner.CDI_KIND);

    /** How messages name what claims for channels hold. */
    public static final ClaimWords WORDS = new ClaimWords("a channel", "channels", "ComputeDomain workloads");

    private final DomainLookup domains;
    private final InventorySource inventory;
    private final DemandReader demands;
    private final PreparePlanner planner;
    private final OwnChannels channels;

    /** Rules for a node whose ComputeDomains have these channels of their own. */
    public ChannelRules(
            ComputeDomains domains,
            InventorySource inventory,
            ServingPolicy policy,
            OwnChannels channels,
            LongSupplier nanoTime) {
        this.domains = new DomainLookup(domains, nanoTime);
        this.inventory = inventory;
        this.demands = new DemandReader(policy);
        this.planner = new PreparePlanner(policy.sharing());
        this.channels = channels;
    }

    /** The driver of channels with these rules, whose claims have the worker of this name. */
    public Driver<ChannelClaim> driver(String worker, ClaimGuard guard) {
        return new Driver<>(worker, KIND, CheckpointFormat.PUBLIC_DRIVER, WORDS, guard, this);
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

    /** A channel is looked for only where nothing else would refuse the claim. */
    private ChannelClaim read(ClaimRef ref, ReadClaim claim, Demand demand) throws ApiException, InterruptedException {
        Optional<ComputeDomains.DomainRef> domain =
                domains.find(demand.domain(), ref.name().namespace(), claim.annotations(), demand.owned());
        boolean binds =
                demand.owned() && domain.filter(found -> !found.deleting()).isPresent();
        return binds && inventory.current().clique() instanceof CliqueState.Present(CliqueId clique)
                ? new ChannelClaim(demand, domain, Optional.of(channels.bind(name(domain.get()), clique)))
                : new ChannelClaim(demand, domain, Optional.empty());
    }

    private static DomainName name(ComputeDomains.DomainRef domain) {
        return new DomainName(domain.uid(), domain.namespace(), domain.name());
    }

    @Override
    public void ended() {
        channels.ended();
    }

    @Override
    public Outcome<Grant> plan(ClaimRef ref, ChannelClaim claim, Ledger ledger) {
        NodeInventory node = inventory.current();
        boolean lost = claim.binding()
                .flatMap(Outcome::toOptional)
                .filter(bound -> !channels.stands(bound) || left(bound.clique(), node.clique()))
                .isPresent();
        return lost
                ? Outcome.refused(
                        RefusalCode.HOLD_LOST,
                        ChannelBinder.lost(name(claim.domain().orElseThrow())))
                : planner.plan(ref, claim, ledger, node);
    }

    /** The hold follows the node a moment later; a channel of another clique would be another workload's here. */
    private static boolean left(CliqueId before, CliqueState now) {
        return now instanceof CliqueState.Present(CliqueId clique) && !clique.equals(before);
    }

    @Override
    public Optional<ClaimEdits> edits(ClaimEntry.Completed entry) {
        return PreparePlanner.edits(entry, inventory.current());
    }

    @Override
    public Outcome<List<PreparedGroup>> promise(ClaimUid uid, ClaimStatus status) {
        return promise(demands.policy(), uid, status);
    }

    /**
     * The devices that a claim of this status would have been given by a node with this policy. Which channel it got
     * that was one ComputeDomain's own, the status does not tell. Pure.
     */
    public static Outcome<List<PreparedGroup>> promise(ServingPolicy policy, ClaimUid uid, ClaimStatus status) {
        return new DemandReader(policy)
                .read(status)
                .then(demand -> demand.owned()
                        ? Outcome.refused(RefusalCode.CLAIM_UNREADABLE, "its status does not say which channel it got")
                        : Outcome.accepted(PreparePlanner.groups(uid, demand, new ChannelId(0))));
    }

    /** The device major. */
    @Override
    public Optional<?> basis() {
        return inventory.current().channelMajor() instanceof ChannelMajor.Registered registered
                ? Optional.of("major " + registered.major())
                : Optional.empty();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }

    /**
     * Finds the ComputeDomain of a claim: by the name that the claim notes, where that object has the claim's domainID
     * as UID, or else among those of the claim's namespace, and of no other. Blocking.
     */
    static final class DomainLookup {

        private static final Duration FRESH = Duration.ofMinutes(1);
        private static final int MOST_KNOWN = 256;

        private final ComputeDomains domains;
        private final LongSupplier nanoTime;

        /** Those that were found last, by UID; guarded by itself. */
        private final SequencedMap<ComputeDomainUid, Known> known = new LinkedHashMap<>();

        private record Known(DomainRef domain, long at) {}

        DomainLookup(ComputeDomains domains, LongSupplier nanoTime) {
            this.domains = domains;
            this.nanoTime = nanoTime;
        }

        /**
         * The ComputeDomain of this UID in the namespace; empty where it has none. What was found a moment ago will not do for a
         * channel that is one ComputeDomain's own: that is read {@code live}.
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
                        .map(Known::domain)
                        .filter(domain -> domain.namespace().equals(namespace));
            }
        }

        private void remember(DomainRef domain) {
            synchronized (known) {
                known.putLast(domain.uid(), new Known(domain, nanoTime.getAsLong()));
                if (known.size() > MOST_KNOWN) {
                    known.pollFirstEntry();
                }
            }
        }
    }
}
