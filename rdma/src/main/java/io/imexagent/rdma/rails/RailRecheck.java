package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.NodeCheck;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.NicVerdict;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.KnownAddresses;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RdmaView;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last look at what a claim is to be given, right before that is written down: the plan rests on a scan that is some
 * seconds old. Nodes must be those of the planned NICs still; an interface that is to leave the host must be the planned
 * NIC's, and none that the host has come to need.
 */
final class RailRecheck {

    private final HostFiles files;
    private final NodeCheck check;
    private final Supplier<Optional<RdmaView>> view;
    private final Supplier<KnownAddresses> addresses;
    private final Supplier<RdmaSettings> config;

    RailRecheck(
            HostFiles files,
            Supplier<Optional<RdmaView>> view,
            Supplier<KnownAddresses> addresses,
            Supplier<RdmaSettings> config) {
        this.files = files;
        this.check = new NodeCheck(files);
        this.view = view;
        this.addresses = addresses;
        this.config = config;
    }

    /** Why the claim must not be given this now; empty where it may. */
    Optional<Refusal> at(ClaimUid claim, ClaimEdits edits) {
        Optional<String> changed = changed(claim, edits);
        if (changed.isPresent()) {
            return changed.map(RailRecheck::otherwise);
        }
        Set<String> moving = edits.devices().values().stream()
                .filter(device -> !device.edits().interfaces().isEmpty())
                .map(ClaimEdits.Device::hostName)
                .collect(Collectors.toUnmodifiableSet());
        return moving.isEmpty() ? Optional.empty() : needed(moving);
    }

    private static Refusal otherwise(String clause) {
        return new Refusal(
                RefusalCode.RAIL_RENUMBERED,
                "an RDMA device of this node is another one than a moment ago: " + clause
                        + "; the node is read again and the claim is retried");
    }

    private Optional<String> changed(ClaimUid claim, ClaimEdits edits) {
        Stream<String> ofDevices = edits.devices().entrySet().stream()
                .flatMap(entry -> changed(entry.getKey().substring(claim.value().length() + 1), entry.getValue()));
        Stream<String> ofNone = edits.shared().nodes().stream().flatMap(node -> check.changed(node).stream());
        return Stream.concat(ofDevices, ofNone).findFirst();
    }

    private Stream<String> changed(String name, ClaimEdits.Device device) {
        PciAddress address = Rail.address(name).orElseThrow();
        return Stream.concat(
                device.edits().nodes().stream()
                        .flatMap(node -> check.changed(node, device.hostName(), address).stream()),
                device.edits().interfaces().stream()
                        .flatMap(moving -> check.changed(moving, device.hostName()).stream()));
    }

    /** Whether the host needs one of these devices' interfaces itself, as routes, ties and addresses are now. */
    private Optional<Refusal> needed(Set<String> devices) {
        RdmaSettings rdma = config.get();
        KnownAddresses told = addresses.get();
        Optional<String> unknown = RdmaReader.withoutAddresses(rdma, told);
        if (unknown.isPresent()) {
            return Optional.of(new Refusal(
                    RefusalCode.RAIL_NOT_OFFERED,
                    "mode Netdev: cannot tell whether the node is reached over the interface that would move: "
                            + unknown.get() + "; let the agent read its Node object, or name the node's addresses in"
                            + " rdma.nodeAddresses; the claim is retried"));
        }
        return view.get().flatMap(last -> {
            RdmaInventory now =
                    new RdmaProbe(files).withUplinks(last.inventory(), RdmaReader.hints(rdma, told.known()));
            return new RailSelector(rdma)
                    .select(now).dropped().stream()
                            .filter(verdict ->
                                    devices.contains(verdict.reading().label()))
                            .findFirst()
                            .map(RailRecheck::reason)
                            .map(RailRecheck::otherwise);
        });
    }

    private static String reason(NicVerdict verdict) {
        return verdict.reading().label() + " is not offered any more, "
                + verdict.dropped().map(Choice.Dropped::reason).orElse("");
    }
}
