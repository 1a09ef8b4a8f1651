package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimFacts;
import io.imexagent.dra.claim.ClaimState;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.PrepareOutcome;
import io.imexagent.dra.recovery.BackupPlanner;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Plans the preparation of one claim: (facts, ledger, inventory, time) → outcome. Pure; the order of its questions is
 * that of the design of host-managed IMEX, which decides the reason that a user is told first.
 */
public final class PreparePlanner {

    /** How long an aborted claim keeps a belated prepare out: twice the kubelet's deadline for a call. */
    public static final Duration ABORTED_FOR = ClaimState.ABORTED_FOR;

    private final DemandReader demands;
    private final Sharing sharing;

    /** A planner that reads claims with this reader, and lets claims hold one channel together as the sharing says. */
    public PreparePlanner(DemandReader demands, Sharing sharing) {
        this.demands = demands;
        this.sharing = sharing;
    }

    /**
     * The answer that already stands in the ledger, whatever Kubernetes says: a prepared claim is prepared once. Its CDI
     * spec is written anew where the device major is known, which changes nothing unless somebody removed or bent it.
     */
    public static Optional<PrepareOutcome.Ready> answered(ClaimRef ref, Ledger ledger, NodeInventory inventory) {
        return ClaimState.answered(ref, ledger, entry -> grant(entry, inventory));
    }

    /** The CDI effect that a prepared claim needs to be usable; none while the device major is unknown. */
    public static List<Effect> grant(ClaimEntry.Completed entry, NodeInventory inventory) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.Registered registered -> {
                List<ChannelId> channels = entry.devices().stream()
                        .<ChannelId>mapMulti((device, into) -> {
                            if (device instanceof PreparedDevice.Channel channel) {
                                into.accept(channel.id());
                            }
                        })
                        .toList();
                yield channels.isEmpty()
                        ? List.of()
                        : List.of(new Effect.WriteCdi(
                                entry.uid(), ChannelEdits.of(entry.uid(), channels, registered.major())));
            }
            case ChannelMajor.NotRegistered none -> List.of();
            case ChannelMajor.Unknown unknown -> List.of();
        };
    }

    /** Plans the claim of these facts at this time. */
    public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, NodeInventory inventory, Instant now) {
        Optional<PrepareOutcome.Ready> answered = answered(facts.ref(), ledger, inventory);
        if (answered.isPresent()) {
            return answered.get();
        }
        return switch (ClaimState.of(facts, ledger, now)) {
            case ClaimState.Sound sound -> plan(facts, sound.status(), ledger, inventory);
            case ClaimState.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
        };
    }

    private PrepareOutcome plan(ClaimFacts facts, ClaimStatus status, Ledger ledger, NodeInventory inventory) {
        return switch (demands.read(status)) {
            case Demand.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
            case Demand.Channel demand -> plan(facts, status, demand, ledger, inventory);
        };
    }

    private PrepareOutcome plan(
            ClaimFacts facts, ClaimStatus status, Demand.Channel demand, Ledger ledger, NodeInventory inventory) {
        return notOffered(demand, inventory)
                .or(() -> notOfDomain(facts, demand))
                .or(() -> goneSoon(facts, demand))
                .or(() -> held(facts, demand, ledger))
                .or(() -> withoutDomain(facts, demand))
                .or(() -> withoutClique(inventory))
                .<PrepareOutcome>map(PrepareOutcome.Refused::new)
                .orElseGet(() -> grant(facts, status, demand, inventory));
    }

    /** A driver that was loaded anew can offer fewer channels than were published before. */
    private static Optional<Refusal> notOffered(Demand.Channel demand, NodeInventory inventory) {
        return demand.owned()
                        && demand.channel().number() >= inventory.channelCount().orElse(Integer.MAX_VALUE)
                ? Optional.of(new Refusal(
                        RefusalCode.DEVICE_NOT_PUBLISHED,
                        "the driver of this node has no channel " + demand.channel() + ", its ImexChannelCount is "
                                + inventory.channelCount().getAsInt()
                                + "; the operator must load it with more, or set imex.channels to that number on agents"
                                + " and controllers"))
                : Optional.empty();
    }

    /** Asked before who holds the channel: a wrong one stays wrong when its holder has gone. */
    private static Optional<Refusal> notOfDomain(ClaimFacts facts, Demand.Channel demand) {
        return demand.owned()
                        && facts.domain() instanceof ClaimFacts.DomainLookup.Found found
                        && found.namespace().equals(facts.ref().name().namespace())
                        && found.channel().isPresent()
                        && !found.channel().get().equals(demand.channel())
                ? Optional.of(new Refusal(
                        RefusalCode.CHANNEL_NOT_OF_DOMAIN,
                        "the claim was given channel " + demand.channel() + ", and ComputeDomain "
                                + found.namespace()
                                + "/" + found.name() + " has channel "
                                + found.channel().get()
                                + "; make the pod anew, from the ResourceClaimTemplate that the ComputeDomain"
                                + " generated"))
                : Optional.empty();
    }

    /**
     * A channel of its own is granted by no ComputeDomain that is being deleted: its status names the channel to the
     * end, also while that rests for another. Channel 0 is everybody's.
     */
    private static Optional<Refusal> goneSoon(ClaimFacts facts, Demand.Channel demand) {
        return demand.owned()
                        && facts.domain() instanceof ClaimFacts.DomainLookup.Found found
                        && found.namespace().equals(facts.ref().name().namespace())
                        && found.deleting()
                ? Optional.of(new Refusal(
                        RefusalCode.DOMAIN_DELETING,
                        "ComputeDomain " + found.namespace() + "/" + found.name() + " is being deleted, and channel "
                                + demand.channel() + " with it; make the pod anew from another ComputeDomain, or make"
                                + " this one anew once it is gone"))
                : Optional.empty();
    }

    private Optional<Refusal> held(ClaimFacts facts, Demand.Channel demand, Ledger ledger) {
        return ledger.holdersOf(demand.channel()).stream()
                .filter(holder -> !holder.uid().equals(facts.ref().uid()))
                .filter(holder -> !mayShare(holder, demand.domain()))
                .findFirst()
                .map(holder -> new Refusal(
                        RefusalCode.CHANNEL_HELD,
                        "channel " + demand.channel() + " already allocated by claim " + holder.uid()
                                + " (according to checkpoint)"
                                + holder.name()
                                        .map(name -> "; wait until the pod of claim " + name + " has ended")
                                        .orElse("")));
    }

    private boolean mayShare(ClaimEntry.Completed holder, ComputeDomainUid domain) {
        return switch (sharing) {
            case NONE -> false;
            case DOMAIN ->
                holder.groups().stream().allMatch(group -> group.computeDomain().equals(domain.value()));
        };
    }

    private static Optional<Refusal> withoutDomain(ClaimFacts facts, Demand.Channel demand) {
        String namespace = facts.ref().name().namespace();
        return switch (facts.domain()) {
            case ClaimFacts.DomainLookup.Found found ->
                found.namespace().equals(namespace)
                        ? withoutChannel(found, demand)
                        : Optional.of(new Refusal(
                                RefusalCode.DOMAIN_FOREIGN_NAMESPACE,
                                "ComputeDomain " + Quoted.of(demand.domain().value()) + " is in namespace "
                                        + found.namespace()
                                        + ", the claim in " + namespace
                                        + "; a claim can use a ComputeDomain of its own namespace only"));
            case ClaimFacts.DomainLookup.Missing missing ->
                Optional.of(new Refusal(
                        RefusalCode.DOMAIN_NOT_FOUND,
                        "no ComputeDomain has the UID "
                                + Quoted.of(demand.domain().value())
                                + "; it was deleted, or the claim was not made from its template: make the"
                                + " ComputeDomain and the pod anew"));
            case ClaimFacts.DomainLookup.Failed failed ->
                Optional.of(new Refusal(RefusalCode.API_UNAVAILABLE, failed.reason()));
            case ClaimFacts.DomainLookup.NotAsked notAsked ->
                Optional.of(new Refusal(
                        RefusalCode.INTERNAL, "the ComputeDomain of the claim was not looked up; report this defect"));
        };
    }

    private static Optional<Refusal> withoutChannel(ClaimFacts.DomainLookup.Found domain, Demand.Channel demand) {
        return demand.owned() && domain.channel().isEmpty()
                ? Optional.of(new Refusal(
                        RefusalCode.DOMAIN_WITHOUT_CHANNEL,
                        "ComputeDomain " + domain.namespace() + "/" + domain.name()
                                + " has no channel yet; the controller gives it one, see kubectl describe"
                                + " computedomain "
                                + domain.name() + "; the claim is retried"))
                : Optional.empty();
    }

    private static Optional<Refusal> withoutClique(NodeInventory inventory) {
        return switch (inventory.clique()) {
            case CliqueState.Present present -> Optional.empty();
            case CliqueState.None none ->
                Optional.of(new Refusal(
                        RefusalCode.NO_CLIQUE,
                        "host-managed IMEX requires an NVLink clique on this node; NVML reports none (" + none.reason()
                                + "); run the pod on a node of an NVLink rack"));
            case CliqueState.Conflicting conflicting ->
                Optional.of(new Refusal(
                        RefusalCode.CLIQUE_CONFLICT,
                        "the GPUs of this node report different NVLink cliques " + conflicting.ids()
                                + "; the operator must mend the fabric's partitions"));
            case CliqueState.Registering registering ->
                Optional.of(new Refusal(
                        RefusalCode.FABRIC_NOT_READY,
                        "the NVLink fabric of this node is still registering (" + registering.detail()
                                + "); the claim is retried"));
            case CliqueState.Failed failed ->
                Optional.of(new Refusal(
                        RefusalCode.FABRIC_NOT_READY,
                        "a GPU of this node failed to register with the NVLink fabric (" + failed.detail()
                                + "); the operator must look at the fabric manager; the claim is retried"));
            case CliqueState.Unknown unknown ->
                Optional.of(new Refusal(
                        RefusalCode.FABRIC_NOT_READY,
                        "NVML does not tell the NVLink clique of this node (" + unknown.detail()
                                + "); the claim is retried"));
        };
    }

    private static PrepareOutcome grant(
            ClaimFacts facts, ClaimStatus status, Demand.Channel demand, NodeInventory inventory) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.Registered registered -> grant(facts, status, demand, registered.major());
            case ChannelMajor.NotRegistered none ->
                refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "/proc/devices of this node lists no nvidia-caps-imex-channels; the operator must load the"
                                + " NVIDIA driver with IMEX channels; the claim is retried");
            case ChannelMajor.Unknown unknown ->
                refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "the device major of IMEX channels is unknown (" + unknown.detail()
                                + "); the claim is retried");
        };
    }

    private static PrepareOutcome grant(ClaimFacts facts, ClaimStatus status, Demand.Channel demand, int major) {
        ClaimRef ref = facts.ref();
        var name = Optional.of(ref.name());
        var completed = completed(ref.uid(), name, status, demand);
        return new PrepareOutcome.Ready(
                completed,
                List.of(
                        new Effect.RecordEntry(new ClaimEntry.Started(ref.uid(), name, status)),
                        new Effect.WriteCdi(ref.uid(), ChannelEdits.of(ref.uid(), List.of(demand.channel()), major)),
                        new Effect.RecordEntry(completed)));
    }

    /** The entry of a claim whose demand was granted. */
    static ClaimEntry.Completed completed(
            ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, Demand.Channel demand) {
        var handed = new PreparedDevice.Handed(
                List.of(demand.device().request()),
                demand.device().pool(),
                demand.device().device(),
                List.of(ChannelEdits.CDI_KIND + "=" + ChannelEdits.cdiDevice(uid, demand.channel())),
                demand.device().shareId());
        var group = new PreparedGroup(
                List.of(new PreparedDevice.Channel(demand.channel(), handed)),
                "channel",
                demand.domain().value());
        return new ClaimEntry.Completed(uid, name, status, List.of(group));
    }

    /** What begun claims were to be given, for the ledger of a backup. */
    public static BackupPlanner.Promise promise(DemandReader demands) {
        return (uid, name, status) -> switch (demands.read(status)) {
            case Demand.Channel channel -> new PrepareOutcome.Ready(completed(uid, name, status, channel), List.of());
            case Demand.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
        };
    }

    private static PrepareOutcome refused(RefusalCode code, String message) {
        return new PrepareOutcome.Refused(new Refusal(code, message));
    }
}
