package io.imexagent.rdma.selection;

import io.imexagent.core.claim.Quoted;
import io.imexagent.rdma.inventory.Gid;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciFunction;
import io.imexagent.rdma.inventory.PciFunction.PciId;
import io.imexagent.rdma.inventory.PciFunction.Vpd;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.inventory.RdmaInventory.Uplinks;
import io.imexagent.rdma.selection.Choice.DropCause;
import io.imexagent.rdma.selection.Choice.DroppedNic;
import io.imexagent.rdma.selection.Choice.SelectionRule;
import io.imexagent.rdma.selection.Selection.NicVerdict;
import io.imexagent.rdma.setting.RdmaSettings;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides for each NIC of a node whether it is offered: the first matching rule drops it, that of the host's own
 * traffic first.
 */
public final class RailSelector {

    private final RdmaSettings settings;
    private final Optional<Pattern> exclude;
    private final Set<String> include;
    private final Set<PciId> storage;
    private final Optional<Set<String>> peer;

    public RailSelector(RdmaSettings settings) {
        this(settings, settings.peer().isEmpty() ? Optional.empty() : Optional.of(Set.copyOf(settings.peer())));
    }

    /**
     * A selector with these settings that also drops NICs which the peer lacks; without a peer, it drops none for that.
     */
    public RailSelector(RdmaSettings settings, Optional<Set<String>> peer) {
        this.settings = settings;
        this.exclude = Optional.of(settings.exclude())
                .filter(pattern -> !pattern.isEmpty())
                .map(Pattern::compile);
        this.include = Set.copyOf(settings.include());
        this.storage = settings.storageDevices().stream()
                .flatMap(id -> PciId.parse(id).stream())
                .collect(Collectors.toUnmodifiableSet());
        this.peer = peer;
    }

    public Selection select(RdmaInventory inventory) {
        List<NicVerdict> verdicts = inventory.nics().stream()
                .map(reading -> verdict(reading, inventory))
                .toList();
        List<String> failures = verdicts.stream()
                .filter(this::isFailure)
                .map(NicVerdict::reason)
                .toList();
        return new Selection(verdicts, failures, new SelectionFindings(inventory, verdicts, settings).all(failures));
    }

    /**
     * Whether strict mode counts the verdict as a failure: only for NICs that pass the include list and the peer's
     * list.
     */
    private boolean isFailure(NicVerdict verdict) {
        return settings.strict()
                && verdict.dropped().flatMap(DroppedNic::cause).equals(Optional.of(DropCause.NO_ADDRESS))
                && verdict.reading().asNic().stream().anyMatch(nic -> isIncluded(nic) && isAtPeer(nic));
    }

    private NicVerdict verdict(NicReading reading, RdmaInventory inventory) {
        Optional<DroppedNic> dropped = switch (reading) {
            case NicReading.FailedNic failed -> unusable(DropCause.UNREADABLE, failed.reason());
            case NicReading.SoftwareNic _ ->
                Optional.of(new DroppedNic(SelectionRule.SOFTWARE, "it is RDMA in software, on no hardware"));
            case NicReading.NicWithoutRdma(PciFunction pci, var netdevs) ->
                servesSwitches(pci, inventory)
                        // No RDMA device can be offered here, whatever rdma.include says.
                        .or(() -> inventory
                                .uplinks()
                                .through(netdevs)
                                .map(why -> new DroppedNic(SelectionRule.UPLINK, why)))
                        .or(() -> unusable(
                                DropCause.NO_RDMA_DEVICE,
                                "it has no RDMA device: "
                                        + pci.driver()
                                                .map(driver -> "it is bound to " + driver)
                                                .orElse("no driver is bound to it")));
            case NicReading.ReadNic(Nic nic) ->
                servesSwitches(nic.pci(), inventory)
                        .or(() -> ofAnotherKind(nic, inventory.readNics()))
                        .or(() -> notForRails(nic, inventory.uplinks()));
        };
        return dropped.map(why -> new NicVerdict(reading, why.reason(), why))
                .orElseGet(() -> rail(reading, reading.asNic().orElseThrow(), inventory));
    }

    private NicVerdict rail(NicReading reading, Nic nic, RdmaInventory inventory) {
        Port port = usablePort(nic).orElseThrow();
        Choice choice;
        if (!isIncluded(nic)) {
            choice = new DroppedNic(SelectionRule.NOT_INCLUDED, "rdma.include does not name it");
        } else if (!isAtPeer(nic)) {
            choice = new DroppedNic(SelectionRule.NOT_AT_PEER, "the peer does not have it");
        } else {
            choice = new Choice.SelectedNic(Rail.of(nic, port, inventory.gpus()).orElseThrow());
        }
        return new NicVerdict(reading, railReason(nic, port), choice);
    }

    private boolean isIncluded(Nic nic) {
        return include.isEmpty() || nic.isNamed(include);
    }

    private boolean isAtPeer(Nic nic) {
        return peer.map(nic::isNamed).orElse(true);
    }

    /**
     * Of the card's functions some say it and some do not (Fabric Manager User Guide, "CX7 bridge"): the others reset and
     * switch off the NVSwitches' links.
     */
    private static Optional<DroppedNic> servesSwitches(PciFunction function, RdmaInventory inventory) {
        return inventory.nics().stream()
                .flatMap(reading -> reading.function().stream())
                .filter(other -> other.vpd() instanceof Vpd.SwitchManagementVpd && other.isOnCardOf(function))
                .min(Comparator.comparing(other -> !other.equals(function)))
                .map(other -> new DroppedNic(
                        SelectionRule.MANAGEMENT,
                        (other.equals(function)
                                        ? "its VPD says"
                                        : "it is on the card of " + other.address() + ", whose VPD says")
                                + " SW_MNG: it serves the management of this machine's NVSwitches"));
    }

    /** Drops NICs that no list of names can make a rail. */
    private static Optional<DroppedNic> ofAnotherKind(Nic nic, List<Nic> all) {
        if (nic.pci().driver().equals(Optional.of("efa"))) {
            return Optional.of(new DroppedNic(SelectionRule.EFA, "it is EFA, which NCCL reaches by another plugin"));
        }
        return all.stream()
                .filter(other -> nic.uverbs().isEmpty()
                        && other.uverbs().isPresent()
                        && other.pci().address().equals(nic.pci().address()))
                .findFirst()
                .map(other -> new DroppedNic(
                        SelectionRule.MANAGEMENT,
                        "it has no uverbs node, and " + other.name() + " is of the same PCI function"));
    }

    private Optional<DroppedNic> notForRails(Nic nic, Uplinks uplinks) {
        boolean named = nic.isNamed(include);
        return uplinks.through(nic.netdevs())
                .filter(_ -> !(named && settings.includeUplinks()))
                .map(reason -> new DroppedNic(SelectionRule.UPLINK, reason))
                .or(() -> named ? Optional.empty() : keptBack(nic))
                .or(() -> unusable(nic, uplinks));
    }

    private Optional<DroppedNic> keptBack(Nic nic) {
        // The node of a device with several ports gives access to the interfaces of all.
        Stream<InterfaceName> reached = nic.ports().size() > 1 ? nic.netdevs().stream() : nic.interfaceName().stream();
        return exclude.flatMap(pattern -> reached.map(InterfaceName::text)
                        .filter(name -> pattern.matcher(name).find())
                        .findFirst()
                        .map(name -> new DroppedNic(
                                SelectionRule.EXCLUDED,
                                name + " matches the exclude pattern " + Quoted.of(pattern.pattern()))))
                .or(() -> nic.pci()
                        .physicalFunction()
                        .map(function -> new DroppedNic(
                                SelectionRule.VIRTUAL_FUNCTION, "it is a virtual function of " + function)))
                .or(() -> nic.pci()
                        .id()
                        .filter(storage::contains)
                        .map(id ->
                                new DroppedNic(SelectionRule.STORAGE, "its PCI device " + id + " is one for storage")));
    }

    private static Optional<DroppedNic> unusable(Nic nic, Uplinks uplinks) {
        if (uplinks instanceof Uplinks.UnknownUplinks unknown) {
            return unusable(DropCause.UPLINKS_UNKNOWN, "cannot tell whether it is an uplink: " + unknown.reason());
        }
        if (nic.uverbs().isEmpty()) {
            return unusable(DropCause.NO_UVERBS, "there is no uverbs node for it");
        }
        if (nic.ports().isEmpty()) {
            return unusable(DropCause.NO_PORT, "it has no port");
        }
        return usablePort(nic).isPresent() ? Optional.empty() : fault(nic);
    }

    private static Optional<Port> usablePort(Nic nic) {
        return nic.ports().stream().filter(port -> fault(nic, port).isEmpty()).findFirst();
    }

    /**
     * The fault of a NIC whose ports all have one: the cause of the port that meets most prerequisites, and all
     * reasons.
     */
    private static Optional<DroppedNic> fault(Nic nic) {
        List<DroppedNic> faults =
                nic.ports().stream().flatMap(port -> fault(nic, port).stream()).toList();
        return faults.stream()
                .flatMap(fault -> fault.cause().stream())
                .max(Comparator.naturalOrder())
                .map(cause -> new DroppedNic(
                        cause,
                        faults.stream().map(DroppedNic::reason).distinct().collect(Collectors.joining("; "))));
    }

    private static Optional<DroppedNic> fault(Nic nic, Port port) {
        String name = "port " + port.number();
        boolean ethernet = port.linkLayer() == Port.LinkLayer.ETHERNET;
        if (port.linkLayer() == Port.LinkLayer.UNTOLD) {
            return unusable(DropCause.UNREADABLE, name + " is neither Ethernet nor InfiniBand");
        }
        if (ethernet && nic.netdev().isEmpty()) {
            return unusable(
                    DropCause.NO_NETDEV,
                    "none of its interfaces is in the host's network namespace; it was moved away");
        }
        if (!port.isActive()) {
            return unusable(
                    DropCause.PORT_DOWN,
                    name + " is " + port.state().text()
                            + port.physicalState()
                                    .map(state -> " (" + state + ")")
                                    .orElse(""));
        }
        if (port.isUsable()) {
            return Optional.empty();
        }
        return ethernet
                ? unusable(DropCause.NO_ADDRESS, "RDMA netdev " + nic.label() + " has no IPv4 address")
                : unusable(DropCause.NO_LID, name + " has no LID");
    }

    private static Optional<DroppedNic> unusable(DropCause cause, String reason) {
        return Optional.of(new DroppedNic(cause, reason));
    }

    private static String railReason(Nic nic, Port port) {
        String address = port.linkLayer() == Port.LinkLayer.INFINIBAND
                ? "LID " + port.lid().orElse(0)
                : "GID "
                        + port.bestGid(nic.interfaceName())
                                .map(RailSelector::text)
                                .orElseThrow();
        return port.linkLayer().text() + ", port " + port.number() + " is ACTIVE with " + address;
    }

    private static String text(Gid.GidEntry gid) {
        return gid.index() + gid.gid().ipv4().map(ipv4 -> " (" + ipv4 + ")").orElse("");
    }
}
