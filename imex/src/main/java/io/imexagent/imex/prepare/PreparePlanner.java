package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
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
import io.imexagent.dra.claim.Grant;
import io.imexagent.imex.bind.OwnChannels;
import io.imexagent.imex.prepare.DemandReader.Demand;
import io.imexagent.kubernetes.ComputeDomains;
import io.imexagent.kubernetes.DeviceReports.Facts;
import io.imexagent.kubernetes.DriverNames;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Plans the preparation of one claim: (claim, ledger, inventory) → outcome. Pure. The checks are in the order of the
 * design of host-managed IMEX, which determines the reason that a user gets first.
 */
public record PreparePlanner(Sharing sharing, CliqueMissing cliqueMissing) {

    /** The CDI kind of claims, vendor and class: the public driver's, so that either can use the other's specs. */
    public static final String CDI_KIND = "k8s." + DriverNames.DRIVER + "/claim";

    /** The edits of a prepared claim to containers; empty if it has none, or while the device major is unknown. */
    public static Optional<ClaimEdits> edits(ClaimEntry.Completed entry, NodeInventory inventory) {
        List<ChannelId> channels = entry.devices().stream()
                .filter(PreparedDevice::reachesContainers)
                .filter(PreparedDevice.Channel.class::isInstance)
                .map(device -> ((PreparedDevice.Channel) device).id())
                .toList();
        return !channels.isEmpty() && inventory.channelMajor() instanceof ChannelMajor.RegisteredMajor(int major)
                ? Optional.of(edits(entry.uid(), channels, major))
                : Optional.empty();
    }

    /** The name of a claim's CDI device for the channel; the CDI device ID is {@code <CDI_KIND>=<name>}. */
    public static String cdiDevice(ClaimUid claim, ChannelId channel) {
        return claim + "-" + channel.device();
    }

    /** The edits that give these channels to the containers of the claim, one CDI device each. */
    public static ClaimEdits edits(ClaimUid claim, List<ChannelId> channels, int major) {
        var devices = new TreeMap<String, ClaimEdits.DeviceEdits>();
        for (ChannelId channel : channels) {
            var node = new ClaimEdits.DeviceNodeEdits(channel.path(), major, channel.number());
            devices.put(
                    cdiDevice(claim, channel), new ClaimEdits.DeviceEdits(channel.device(), ClaimEdits.Edits.of(node)));
        }
        return new ClaimEdits(ClaimEdits.Edits.NONE, devices);
    }

    /** The data of a prepared device in the claim's status: the channel, and the clique if the node has one. */
    static Facts facts(PreparedDevice device, CliqueState clique) {
        if (!device.reachesContainers()) {
            return new Facts(
                    "WithoutFabric",
                    "no GPU of the node supports an NVLink fabric; containers get no IMEX channel",
                    Optional.empty(),
                    Optional.empty());
        }
        if (!(device instanceof PreparedDevice.Channel(ChannelId channel, var _))) {
            return Facts.PREPARED;
        }
        Optional<String> id = clique instanceof CliqueState.KnownClique(CliqueId present)
                ? Optional.of(present.toString())
                : Optional.empty();
        var data = new JsonText("{\"channel\":" + channel.number()
                + id.map(text -> ",\"clique\":\"" + text + "\"").orElse("") + "}");
        String message = "containers get IMEX channel " + channel
                + id.map(text -> " of NVLink clique " + text).orElse("");
        return new Facts("Prepared", message, Optional.of(data), Optional.empty());
    }

    public Outcome<Grant> plan(ClaimRef ref, ChannelClaim claim, Ledger ledger, NodeInventory inventory) {
        if (cliqueMissing == CliqueMissing.SUCCEED && inventory.withoutFabric()) {
            return goneSoon(claim)
                    .or(() -> withoutDomain(ref.name().namespace(), claim))
                    .map(Outcome::<Grant>refused)
                    .orElseGet(() -> Outcome.accepted(nothing(claim.demand())));
        }
        return notOffered(claim, inventory)
                .or(() -> goneSoon(claim))
                .or(() -> held(ref, claim, ledger))
                .or(() -> withoutDomain(ref.name().namespace(), claim))
                .or(() -> withoutClique(inventory))
                .or(() -> unbound(claim))
                .map(Outcome::<Grant>refused)
                .orElseGet(() -> grant(ref, claim.demand(), claim.channel().orElseThrow(), inventory));
    }

    /** Refuses a channel that the driver lacks: after a reload it may offer fewer than the clique's table allows. */
    private static Optional<Refusal> notOffered(ChannelClaim claim, NodeInventory inventory) {
        int offered = inventory.channelCount().orElse(Integer.MAX_VALUE);
        return claim.channel()
                .filter(channel -> channel.number() > 0 && channel.number() >= offered)
                .map(channel -> new Refusal(
                        RefusalCode.DEVICE_NOT_PUBLISHED,
                        "the driver of this node has no channel " + channel + ", its ImexChannelCount is " + offered
                                + "; the operator must load it with as many as the other nodes of the clique have"));
    }

    /** Refuses a channel of a ComputeDomain that is being deleted, unless it is channel 0, which belongs to all. */
    private static Optional<Refusal> goneSoon(ChannelClaim claim) {
        return claim.domain()
                .filter(domain -> claim.demand().owned() && domain.deleting())
                .map(domain -> new Refusal(
                        RefusalCode.DOMAIN_DELETING,
                        "ComputeDomain " + domain.namespace() + "/" + domain.name()
                                + " is being deleted; create the pod again from another ComputeDomain, or create"
                                + " this one again once it is gone"));
    }

    /** The refusal of a bind that found no channel. If no bind was made, the next try makes one. */
    private static Optional<Refusal> unbound(ChannelClaim claim) {
        return claim.channel().isPresent()
                ? Optional.empty()
                : claim.binding()
                        .flatMap(Outcome::refusal)
                        .or(() -> refusal(
                                RefusalCode.HOLD_LOST,
                                "the NVLink clique of this node was not known when the claim was read; it is read"
                                        + " again"));
    }

    private Optional<Refusal> held(ClaimRef ref, ChannelClaim claim, Ledger ledger) {
        return claim.channel().stream()
                .flatMap(channel -> ledger.holdersOf(channel).stream())
                .filter(holder -> !holder.uid().equals(ref.uid()))
                .filter(holder -> !mayShare(holder, claim.demand().domain()))
                .findFirst()
                .map(holder -> new Refusal(
                        RefusalCode.CHANNEL_HELD,
                        "channel " + claim.channel().orElseThrow() + " already allocated by claim " + holder.uid()
                                + " (according to checkpoint)"
                                + holder.name()
                                        .map(name -> "; wait until the pod of claim " + name + " has ended")
                                        .orElse("")));
    }

    private boolean mayShare(ClaimEntry.Completed holder, ComputeDomainUid domain) {
        return sharing == Sharing.DOMAIN
                && holder.groups().stream()
                        .allMatch(group -> group.computeDomain().equals(domain.value()));
    }

    private static Optional<Refusal> withoutDomain(String namespace, ChannelClaim claim) {
        return claim.domain().isPresent()
                ? Optional.empty()
                : refusal(
                        RefusalCode.DOMAIN_NOT_FOUND,
                        "no ComputeDomain of namespace " + namespace + " has the UID "
                                + Quoted.of(claim.demand().domain().value())
                                + "; it was deleted, or the claim was not made from its template: create the"
                                + " ComputeDomain and the pod again, in one namespace");
    }

    private static Optional<Refusal> withoutClique(NodeInventory inventory) {
        return switch (inventory.clique()) {
            case CliqueState.KnownClique _ -> Optional.empty();
            case CliqueState.NoClique(String reason) ->
                refusal(
                        RefusalCode.NO_CLIQUE,
                        "host-managed IMEX requires an NVLink clique on this node; NVML reports none (" + reason
                                + "); run the pod on a node of an NVLink rack");
            case CliqueState.ConflictingClique(var ids) ->
                refusal(
                        RefusalCode.CLIQUE_CONFLICT,
                        "the GPUs of this node report different NVLink cliques " + ids
                                + "; the operator must correct the fabric's partitions");
            case CliqueState.RegisteringClique(String detail) ->
                notReady("the NVLink fabric of this node is still registering (" + detail + ")");
            case CliqueState.FailedClique(String detail) ->
                notReady("a GPU of this node failed to register with the NVLink fabric (" + detail
                        + "); the operator must look at the fabric manager");
            case CliqueState.UnknownClique(String detail) ->
                notReady("NVML does not report the NVLink clique of this node (" + detail + ")");
        };
    }

    private static Optional<Refusal> notReady(String why) {
        return refusal(RefusalCode.FABRIC_NOT_READY, why + "; the claim is retried");
    }

    private static Optional<Refusal> refusal(RefusalCode code, String message) {
        return Optional.of(new Refusal(code, message));
    }

    private static Outcome<Grant> grant(ClaimRef ref, Demand demand, ChannelId channel, NodeInventory inventory) {
        return switch (inventory.channelMajor()) {
            case ChannelMajor.RegisteredMajor(int major) ->
                Outcome.accepted(
                        new Grant(groups(ref.uid(), demand, channel), edits(ref.uid(), List.of(channel), major)));
            case ChannelMajor.UnregisteredMajor _ ->
                Outcome.refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "/proc/devices of this node lists no nvidia-caps-imex-channels; the operator must load the"
                                + " NVIDIA driver with IMEX channels; the claim is retried");
            case ChannelMajor.UnknownMajor(String detail) ->
                Outcome.refused(
                        RefusalCode.NO_CHANNEL_MAJOR,
                        "the device major of IMEX channels is unknown (" + detail + "); the claim is retried");
        };
    }

    /** The allocated device without a CDI device, as the public driver records it. */
    private static Grant nothing(Demand demand) {
        return new Grant(
                groups(demand, new ChannelId(0), List.of()),
                new ClaimEdits(ClaimEdits.Edits.NONE, Collections.emptySortedMap()));
    }

    /** The devices of the ComputeDomain that were returned without a CDI device. */
    static List<PreparedGroup> nothing(List<PreparedDevice.ReturnedDevice> prepared, String computeDomain) {
        return List.of(new PreparedGroup(
                prepared.stream()
                        .<PreparedDevice>map(device -> new PreparedDevice.Channel(new ChannelId(0), device))
                        .toList(),
                "channel",
                computeDomain));
    }

    static List<PreparedGroup> groups(ClaimUid uid, Demand demand, ChannelId channel) {
        return groups(demand, channel, List.of(CDI_KIND + "=" + cdiDevice(uid, channel)));
    }

    private static List<PreparedGroup> groups(Demand demand, ChannelId channel, List<String> cdiDevices) {
        var handed = new PreparedDevice.ReturnedDevice(
                List.of(demand.device().request()),
                demand.device().pool(),
                demand.device().device(),
                cdiDevices,
                demand.device().shareId());
        return List.of(new PreparedGroup(
                List.of(new PreparedDevice.Channel(channel, handed)),
                "channel",
                demand.domain().value()));
    }

    /**
     * The request of a claim; its ComputeDomain, empty if its namespace has none with that UID; the result of binding
     * the ComputeDomain's own channel, empty if none was bound; and the objection to the shared channel, which may
     * still be being read.
     */
    public record ChannelClaim(
            Demand demand,
            Optional<ComputeDomains.DomainRef> domain,
            Optional<Outcome<OwnChannels.BoundChannel>> binding,
            UserNamespaces.PodLookup<Refusal> objection) {

        Optional<ChannelId> channel() {
            return demand.owned()
                    ? binding.flatMap(Outcome::toOptional).map(OwnChannels.BoundChannel::channel)
                    : Optional.of(new ChannelId(0));
        }
    }
}
