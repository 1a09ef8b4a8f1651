package io.imexagent.rdma.rails;

import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimEdits.DeviceNodeEdits;
import io.imexagent.core.claim.ClaimEdits.Interface;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaWatch;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last check of a grant before it is written: the plan rests on a scan that is some seconds old, and the kernel
 * assigns device numbers and names again at each load of a driver. An interface that is to move must belong to the
 * planned NIC, and the host must not need it by now.
 */
record RailRecheck(HostFiles files, RdmaWatch watch) {

    private static final String VERBS = "sys/class/infiniband_verbs/";
    private static final String MANAGEMENT = "sys/class/infiniband_mad/";
    private static final String MISC = "sys/class/misc/";
    private static final String DEVICES = "sys/class/infiniband/";

    Optional<Refusal> at(ClaimUid claim, ClaimEdits edits) {
        Optional<String> changed = changed(claim, edits);
        if (changed.isPresent()) {
            return changed.map(RailRecheck::otherwise);
        }
        Set<String> moving = edits.devices().values().stream()
                .filter(device -> !device.edits().interfaces().isEmpty())
                .map(ClaimEdits.DeviceEdits::hostName)
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
        Stream<String> ofNone = edits.shared().nodes().stream().flatMap(node -> changed(node).stream());
        return Stream.concat(ofDevices, ofNone).findFirst();
    }

    private Stream<String> changed(String name, ClaimEdits.DeviceEdits device) {
        PciAddress address = Rail.address(name).orElseThrow();
        return Stream.concat(
                device.edits().nodes().stream().flatMap(node -> changed(node, device.hostName(), address).stream()),
                device.edits().interfaces().stream().flatMap(moving -> changed(moving, device.hostName()).stream()));
    }

    /** How a node of an RDMA device at this address differs from the plan, as a clause; empty if it does not. */
    Optional<String> changed(DeviceNodeEdits node, String device, PciAddress address) {
        String folder = (node.name().startsWith("uverbs") ? VERBS : MANAGEMENT) + node.name();
        Optional<String> owner = files.optional(folder + "/ibdev");
        if (!owner.equals(Optional.of(device))) {
            return Optional.of(node.name() + " belongs to " + owner.orElse("no device") + ", not to " + device);
        }
        // The kernel's link to a PCI device ends with its address.
        Optional<PciAddress> seat =
                files.targetName(DEVICES + device + "/device").flatMap(PciAddress::parse);
        return seat.equals(Optional.of(address))
                ? number(node, folder)
                : Optional.of(device + " is at " + seat.map(Object::toString).orElse("no PCI address") + ", not at "
                        + address);
    }

    /** How a node that belongs to no device, such as rdma_cm, differs from the plan. */
    Optional<String> changed(DeviceNodeEdits node) {
        return number(node, MISC + node.name());
    }

    /** How an interface that is to move differs from the plan; the runtime identifies it by its name alone. */
    Optional<String> changed(Interface moving, String device) {
        List<String> names = files.names(DEVICES + device + "/device/net");
        return names.contains(moving.onHost())
                ? Optional.empty()
                : Optional.of(device + " has "
                        + (names.isEmpty() ? "no interface" : "the interface " + String.join(",", names))
                        + " where it had " + moving.onHost());
    }

    private Optional<String> number(DeviceNodeEdits node, String folder) {
        Optional<String> number = files.node(folder).map(DeviceNodeEdits::number);
        return number.equals(Optional.of(node.number()))
                ? Optional.empty()
                : Optional.of(
                        node.name() + " has the number " + number.orElse("of no device") + ", not " + node.number());
    }

    /**
     * The refusal if the host itself needs an interface of these devices, by the current routes, ties and addresses.
     */
    private Optional<Refusal> needed(Set<String> devices) {
        RdmaSettings rdma = watch.settings();
        KnownAddresses known = watch.nodeAddresses();
        Optional<String> unknown = known.missing(rdma);
        if (unknown.isPresent()) {
            return Optional.of(new Refusal(
                    RefusalCode.RAIL_NOT_OFFERED,
                    "mode Netdev: cannot tell whether the node is reached over the interface that would move: "
                            + unknown.get() + "; let the agent read its Node object, or name the node's addresses in"
                            + " rdma.nodeAddresses; the claim is retried"));
        }
        return watch.current().flatMap(last -> {
            RdmaInventory now = new RdmaProbe(files).withUplinks(last.inventory(), rdma, known.known());
            return new RailSelector(rdma)
                    .select(now).dropped().stream()
                            .filter(verdict ->
                                    devices.contains(verdict.reading().label()))
                            .findFirst()
                            .map(verdict -> otherwise(verdict.reading().label() + " is not offered any more, "
                                    + verdict.dropped()
                                            .map(Choice.DroppedNic::reason)
                                            .orElse("")));
        });
    }
}
