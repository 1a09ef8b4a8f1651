package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
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
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Grant;
import io.imexagent.kubernetes.ComputeDomains;
import java.util.List;
import java.util.Optional;

/**
 * Plans the preparation of one claim: (claim, ledger, inventory) → outcome. Pure; the order of its questions is
 * that of the design of host-managed IMEX, which decides the reason that a user is told first.
 */
public final class PreparePlanner {

    private final Sharing sharing;

    /** A planner that lets claims hold one channel together as the sharing says. */
    public PreparePlanner(Sharing sharing) {
        this.sharing = sharing;
    }

    /** What a prepared claim does to containers; empty while the device major is unknown. */
    public static Optional<ClaimEdits> edits(ClaimEntry.Completed entry, NodeInventory inventory) {
        List<ChannelId> channels = entry.devices().stream()
                .<ChannelId>mapMulti((device, into) -> {
                    if (device instanceof PreparedDevice.Channel channel) {
                        into.accept(channel.id());
                    }
                })
                .toList();
        return !channels.isEmpty() && inventory.channelMajor() instanceof ChannelMajor.Registered(int major)
                ? Optional.of(ChannelEdits.of(entry.uid(), channels, major))
                : Optional.empty();
    }

    /** Plans the claim. */
    public Outcome<Grant> plan(ClaimRef ref, ChannelClaim claim, Ledger ledger, NodeInventory inventory) {
        Demand demand = claim.demand();
        String namespace = ref.name().namespace();
        return notOffered(demand, inventory)
                .or(() -> notOfDomain(namespace, claim))
                .or(() -> goneSoon(namespace, claim))
                .or(() -> held(ref, demand, ledger))
                .or(() -> withoutDomain(namespace, claim))
                .or(() -> withoutClique(inventory))
                .map(Outcome::<Grant>refused)
                .orElseGet(() -> grant(ref, demand, inventory));
    }

    /** A driver that was loaded anew can offer fewer channels than were published before. */
    private static Optional<Refusal> notOffered(Demand demand, NodeInventory inventory) {
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
    private static Optional<Refusal> notOfDomain(String namespace, ChannelClaim claim) {
        Demand demand = claim.demand();
        return ownDomain(namespace, claim)
                .filter(domain ->
                        domain.channel().isPresent() && !domain.channel().get().equals(demand.channel()))
                .map(domain -> new Refusal(
                        RefusalCode.CHANNEL_NOT_OF_DOMAIN,
                        "the claim was given channel " + demand.channel() + ", and ComputeDomain "
                                + domain.namespace()
                                + "/" + domain.name() + " has channel "
                                + domain.channel().get()
                                + "; make the pod anew, from the ResourceClaimTemplate that the ComputeDomain"
                                + " generated"));
    }

    /**
     * A channel of its own is granted by no ComputeDomain that is being deleted: its status names the channel to the
     * end, also while that rests for another. Channel 0 is everybody's.
     */
    private static Optional<Refusal> goneSoon(String namespace, ChannelClaim claim) {
        return ownDomain(namespace, claim)
                .filter(ComputeDomains.DomainRef::deleting)
                .map(domain -> new Refusal(
                        RefusalCode.DOMAIN_DELETING,
                        "ComputeDomain " + domain.namespace() + "/" + domain.name() + " is being deleted, and channel "
                                + claim.demand().channel()
                                + " with it; make the pod anew from another ComputeDomain, or make this one anew once"
                                + " it is gone"));
    }

    /** The ComputeDomain that may say something about the channel: one of this namespace, for a channel of its own. */
    private static Optional<ComputeDomains.DomainRef> ownDomain(String namespace, ChannelClaim claim) {
        return claim.domain()
                .filter(domain -> claim.demand().owned() && domain.namespace().equals(namespace));
    }

    private Optional<Refusal> held(ClaimRef ref, Demand demand, Ledger ledger) {
        return ledger.holdersOf(demand.channel()).stream()
                .filter(holder -> !holder.uid().equals(ref.uid()))
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

    private static Optional<Refusal> withoutDomain(String namespace, ChannelClaim claim) {
        Demand demand = claim.demand();
        if (claim.domain().isEmpty()) {
            return Optional.of(new Refusal(
                    RefusalCode.DOMAIN_NOT_FOUND,
                    "no ComputeDomain has the UID "
                            + Quoted.of(demand.domain().value())
                            + "; it was deleted, or the claim was not made from its template: make the"
                            + " ComputeDomain and the pod anew"));
        }
        ComputeDomains.DomainRef domain = claim.domain().get();
        if (!domain.namespace().equals(namespace)) {
            return Optional.of(new Refusal(
                    RefusalCode.DOMAIN_FOREIGN_NAMESPACE,
                    "ComputeDomain " + Quoted.of(demand.domain().value()) + " is in namespace "
                            + domain.namespace()
                            + ", the claim in " + namespace
                            + "; a claim can use a ComputeDomain of its own namespace only"));
        }
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

    private static Outcome<Grant> grant(ClaimRef ref, Demand demand, NodeInventory inventory) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.Registered(int major) ->
                Outcome.accepted(new Grant(
                        groups(ref.uid(), demand), ChannelEdits.of(ref.uid(), List.of(demand.channel()), major)));
            case ChannelMajor.NotRegistered none ->
                Outcome.refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "/proc/devices of this node lists no nvidia-caps-imex-channels; the operator must load the"
                                + " NVIDIA driver with IMEX channels; the claim is retried");
            case ChannelMajor.Unknown unknown ->
                Outcome.refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "the device major of IMEX channels is unknown (" + unknown.detail()
                                + "); the claim is retried");
        };
    }

    /** What a claim is given whose demand is granted. */
    static List<PreparedGroup> groups(ClaimUid uid, Demand demand) {
        var handed = new PreparedDevice.Handed(
                List.of(demand.device().request()),
                demand.device().pool(),
                demand.device().device(),
                List.of(ChannelEdits.CDI_KIND + "=" + ChannelEdits.cdiDevice(uid, demand.channel())),
                demand.device().shareId());
        return List.of(new PreparedGroup(
                List.of(new PreparedDevice.Channel(demand.channel(), handed)),
                "channel",
                demand.domain().value()));
    }
}
