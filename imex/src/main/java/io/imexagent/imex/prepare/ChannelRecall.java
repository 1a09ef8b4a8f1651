package io.imexagent.imex.prepare;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.ClaimRecall;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.Hold;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Recovers the entries of claims for channels whose checkpoint was lost, by policy and the node's holds. */
public record ChannelRecall(ServingPolicy policy, NodeHeld held) implements ClaimRecall {

    /** Reads the holds of the node's object, void if of another boot; if either is unknown, they count. Blocking. */
    @FunctionalInterface
    public interface NodeHeld {

        List<Hold> in(Optional<BootId> boot) throws ApiException;
    }

    /**
     * Recovers a claim's devices. Only the kubelet's record names the channel, if it belongs to one ComputeDomain. The
     * ComputeDomain comes from the claim's status, or otherwise from a hold of this node; for channel 0 it may stay
     * unknown. A claim without a CDI device holds no channel.
     */
    @Override
    public Outcome<List<PreparedGroup>> recall(
            ClaimUid uid, List<ReturnedDevice> returned, Optional<ClaimStatus> status, Optional<BootId> boot)
            throws ApiException {
        if (returned.stream().noneMatch(ReturnedDevice::reachesContainers)) {
            return Outcome.accepted(PreparePlanner.nothing(
                    returned,
                    status.flatMap(found -> new DemandReader(policy).read(found).toOptional())
                            .map(demand -> demand.domain().value())
                            .orElse("")));
        }
        Optional<ChannelId> channel = channel(uid, returned);
        if (channel.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.CLAIM_UNREADABLE,
                    "the kubelet's record does not say which channel it got: " + returned);
        }
        if (status.isPresent()) {
            return new DemandReader(policy)
                    .read(status.get())
                    .map(demand ->
                            PreparePlanner.groups(uid, demand, demand.owned() ? channel.get() : ChannelRules.SHARED));
        }
        Optional<String> domain = channel.get().equals(ChannelRules.SHARED)
                ? Optional.of("")
                : holds(boot)
                        .filter(hold -> hold.channel().equals(channel))
                        .map(hold -> hold.domain().uid().value())
                        .findFirst();
        return domain.map(of -> Outcome.accepted(List.of(new PreparedGroup(
                        List.of(new PreparedDevice.Channel(channel.get(), returned.getFirst())), "channel", of))))
                .orElseGet(() -> Outcome.refused(
                        RefusalCode.CLAIM_UNREADABLE,
                        "nothing tells which ComputeDomain channel " + channel.get() + " is of"));
    }

    private static Optional<ChannelId> channel(ClaimUid uid, List<ReturnedDevice> returned) {
        String prefix = PreparePlanner.CDI_KIND + "=" + uid + "-";
        return returned.size() == 1 && returned.getFirst().cdiDeviceIds().size() == 1
                ? Optional.of(returned.getFirst().cdiDeviceIds().getFirst())
                        .filter(id -> id.startsWith(prefix))
                        .flatMap(id -> ChannelId.ofDevice(id.substring(prefix.length())))
                : Optional.empty();
    }

    @Override
    public Optional<String> heldElsewhere(Set<String> cdiDevices, Optional<BootId> boot) throws ApiException {
        return holds(boot)
                .filter(hold -> cdiDevices.isEmpty()
                        || hold.channel().isEmpty()
                        || cdiDevices.stream()
                                .anyMatch(name ->
                                        name.endsWith("-" + hold.channel().get().device())))
                .map(hold -> "the kubelet does not know its claim, but the NVLinkNode of this node holds ComputeDomain "
                        + hold.domain()
                        + hold.channel().map(id -> " on channel " + id).orElse(""))
                .findFirst();
    }

    /**
     * Checks the groups against the node's holds: the record may be from a time when the channel belonged to another
     * ComputeDomain.
     */
    @Override
    public Optional<String> unproven(List<PreparedGroup> groups, Optional<BootId> boot) throws ApiException {
        if (policy.isolation() != Isolation.IMEX_CHANNEL) {
            return Optional.empty();
        }
        List<Hold> held = holds(boot).toList();
        return groups.stream()
                .flatMap(group -> channels(group)
                        .filter(channel -> held.stream()
                                .noneMatch(hold -> hold.channel().equals(Optional.of(channel))
                                        && hold.domain().uid().value().equals(group.computeDomain())))
                        .map(channel -> "the NVLinkNode of this node does not hold ComputeDomain "
                                + group.computeDomain() + " on channel " + channel))
                .findFirst();
    }

    /** The channels of the group that containers can use. */
    private static Stream<ChannelId> channels(PreparedGroup group) {
        return group.devices().stream()
                .filter(PreparedDevice::reachesContainers)
                .filter(PreparedDevice.Channel.class::isInstance)
                .map(device -> ((PreparedDevice.Channel) device).id());
    }

    @Override
    public Optional<String> disputed(ClaimEntry.Completed claim, Ledger ledger) {
        if (policy.isolation() != Isolation.IMEX_CHANNEL) {
            return Optional.empty();
        }
        return claim.groups().stream()
                .flatMap(group -> channels(group)
                        .flatMap(channel -> ledger.holdersOf(channel).stream()
                                .filter(other -> other.groups().stream()
                                        .anyMatch(one -> !one.computeDomain().equals(group.computeDomain())))
                                .map(other -> "it would have channel " + channel + " for ComputeDomain "
                                        + group.computeDomain() + ", and so would claim "
                                        + other.name().map(Object::toString).orElse("") + " uid=" + other.uid()
                                        + " for ComputeDomain "
                                        + other.groups().getFirst().computeDomain())))
                .findFirst();
    }

    @Override
    public boolean accountsFor(Ledger ledger, Optional<BootId> boot) throws ApiException {
        Set<String> known = ledger.completed().stream()
                .flatMap(claim -> claim.groups().stream())
                .filter(group -> group.devices().stream().anyMatch(PreparedDevice::reachesContainers))
                .map(PreparedGroup::computeDomain)
                .collect(Collectors.toSet());
        return holds(boot).allMatch(hold -> known.contains(hold.domain().uid().value()));
    }

    /** The node's holds of channels in this boot; none if all workloads share channel 0. */
    private Stream<Hold> holds(Optional<BootId> boot) throws ApiException {
        return policy.isolation() == Isolation.IMEX_CHANNEL
                ? held.in(boot).stream().filter(Hold::binds)
                : Stream.empty();
    }
}
