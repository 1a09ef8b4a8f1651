package io.imexagent.rdma.rails;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.inventory.PciAddress;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.dra.claim.Grant;
import io.imexagent.kubernetes.DeviceReports.Facts;
import io.imexagent.kubernetes.DeviceReports.Network;
import io.imexagent.rdma.inventory.InterfaceName;
import io.imexagent.rdma.inventory.Ipv4;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.RdmaInventory.NetnsMode;
import io.imexagent.rdma.rails.RuntimeProbe.NetdevSupport;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.watch.RdmaView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plans the preparation of one claim for rails: (claim, ledger, view of the node, runtime) → outcome. Pure. */
public final class RailPlanner {

    private RailPlanner() {}

    /** Plans the claim; the view is empty before the node has been read. */
    static Outcome<Grant> plan(
            ClaimRef ref, RailClaim claim, Ledger ledger, Optional<RdmaView> present, NetdevSupport netdev) {
        Optional<Refusal> held = claim.devices().stream()
                .flatMap(device -> held(ref, device, ledger).stream())
                .findFirst();
        if (held.isPresent()) {
            return Outcome.refused(held.get());
        }
        if (present.isEmpty()) {
            return Outcome.refused(
                    RefusalCode.RAILS_UNKNOWN,
                    "the RDMA devices of this node have not been read yet; the claim is retried");
        }
        RdmaView view = present.get();
        if (view.inventory().netnsMode() instanceof NetnsMode.ExclusiveNetns) {
            return Outcome.refused(
                    RefusalCode.RDMA_NAMESPACES,
                    "network namespaces of this node do not share RDMA devices, so no container would see one; the"
                            + " operator must run 'rdma system set netns shared' before any namespace is made");
        }
        var rails = new ArrayList<Rail>();
        for (AllocatedDevice device : claim.devices()) {
            Optional<Rail> offered = offered(device.device(), view);
            if (offered.isEmpty()) {
                return Outcome.refused(notOffered(device.device(), view));
            }
            rails.add(offered.get());
        }
        if (claim.config().movesInterfaces()) {
            Optional<Refusal> immovable = immovable(netdev, rails).or(claim::pod);
            if (immovable.isPresent()) {
                return Outcome.refused(immovable.get());
            }
        }
        return Outcome.accepted(
                new Grant(groups(ref.uid(), claim), new RailEdits(rails, claim.config(), view, netdev).of(ref.uid())));
    }

    /**
     * Why an interface must not move into a container. A runtime without support would silently leave the interface
     * out.
     */
    private static Optional<Refusal> immovable(NetdevSupport netdev, List<Rail> rails) {
        return netdev instanceof NetdevSupport.Unsupported(String reason)
                ? refused(RefusalCode.NETDEV_RUNTIME, reason + "; or take mode Verbs")
                : rails.stream().flatMap(rail -> immovable(rail.nic()).stream()).findFirst();
    }

    private static Optional<Refusal> immovable(Nic nic) {
        if (nic.netdev().isEmpty()) {
            return refused(
                    RefusalCode.RAIL_NOT_OFFERED,
                    nic.name() + " has no network interface that could be moved; load its driver (for InfiniBand"
                            + " ib_ipoib), or take mode Verbs; the claim is retried");
        }
        if (nic.ports().size() > 1) {
            return refused(
                    RefusalCode.NETDEV_RUNTIME,
                    nic.name() + " has several ports, and their interfaces belong together; take mode Verbs");
        }
        return nic.netdev()
                .filter(Nic.Netdev::bond)
                .flatMap(bond -> refused(
                        RefusalCode.NETDEV_RUNTIME,
                        bond.name() + " is a bond, which the kernel moves into no container; take mode Verbs"));
    }

    private static Optional<Refusal> refused(RefusalCode code, String clause) {
        return Optional.of(new Refusal(code, "mode Netdev: " + clause));
    }

    /** The refusal of a device that another claim holds. A claim with admin access uses a device without holding it. */
    private static Optional<Refusal> held(ClaimRef ref, AllocatedDevice device, Ledger ledger) {
        if (device.adminAccess().orElse(false)) {
            return Optional.empty();
        }
        return ledger.holdersOfDevice(device.device()).stream()
                .filter(holder -> !holder.uid().equals(ref.uid()) && owns(holder, device.device()))
                .findFirst()
                .map(holder -> new Refusal(
                        RefusalCode.RAIL_HELD,
                        "device " + device.device() + " is held by claim " + holder.uid()
                                + holder.name()
                                        .map(name -> "; wait until the pod of claim " + name + " has ended")
                                        .orElse("")));
    }

    /** Whether the claim holds the device; one that was taken over without its status holds all its devices. */
    private static boolean owns(ClaimEntry.Completed holder, String device) {
        return holder.status().allocation().isEmpty()
                || holder.status().allocation().stream()
                        .flatMap(allocation -> allocation.resultsOf(RailDriver.NAME).stream())
                        .anyMatch(one -> one.device().equals(device)
                                && !one.adminAccess().orElse(false));
    }

    private static Optional<Rail> offered(String device, RdmaView view) {
        Optional<PciAddress> address = Rail.address(device);
        return view.selection().rails().stream()
                .filter(rail -> Optional.of(rail.nic().pci().address()).equals(address))
                .findFirst();
    }

    private static Refusal notOffered(String device, RdmaView view) {
        String why = view.selection().verdicts().stream()
                .filter(one -> one.reading().address().equals(Rail.address(device)))
                .findFirst()
                .map(one -> one.reading().label() + " " + reason(one.choice()))
                .orElse("the node has no RDMA device at this PCI address; see 'imex-agent rdma show' on the node");
        return new Refusal(
                RefusalCode.RAIL_NOT_OFFERED,
                "device " + device + " is not offered by this node now: " + why + "; the claim is retried");
    }

    private static String reason(Choice choice) {
        return switch (choice) {
            case Choice.SelectedNic _ ->
                "is not offered, because rdma.strict withholds all NICs of this node; 'imex-agent rdma check' on the node says"
                        + " why";
            case Choice.DroppedNic dropped -> "is dropped: " + dropped.reason() + "; " + dropped.remedy();
        };
    }

    /** The facts about a prepared rail: its RDMA device, and its interface as the host has it or had it last. */
    static Facts facts(String device, Optional<RdmaView> present) {
        return present.flatMap(view ->
                        offered(device, view).or(() -> unoffered(device, view)).map(rail -> facts(rail.nic(), view)))
                .orElse(Facts.PREPARED);
    }

    private static Facts facts(Nic nic, RdmaView view) {
        var data = new JsonText("{\"rdmaDevice\":\"" + nic.name() + "\"}");
        Optional<Network> network = nic.netdev()
                .map(netdev -> new Network(netdev.name().text(), addresses(nic, netdev.name(), view), netdev.mac()));
        return new Facts("Prepared", "containers get RDMA device " + nic.name(), Optional.of(data), network);
    }

    /** The addresses with their subnets, as the API requires; an address whose subnet no route shows is left out. */
    private static List<String> addresses(Nic nic, InterfaceName name, RdmaView view) {
        List<Ipv4.Subnet> subnets = view.inventory().subnets().getOrDefault(name, List.of());
        return nic.ipv4().stream()
                .flatMap(address -> subnets.stream()
                        .filter(subnet -> subnet.contains(address))
                        .limit(1)
                        .map(subnet -> address + "/" + subnet.prefixLength()))
                .toList();
    }

    /** The devices of a claim with this status, from the status alone; the ledger records only the names of rails. */
    public static Outcome<List<PreparedGroup>> promise(String pool, ClaimUid uid, ClaimStatus status) {
        return RailClaim.read(status, pool).map(claim -> groups(uid, claim));
    }

    private static List<PreparedGroup> groups(ClaimUid uid, RailClaim claim) {
        List<PreparedDevice> devices = claim.devices().stream()
                .<PreparedDevice>map(device -> new PreparedDevice.Plain(new PreparedDevice.ReturnedDevice(
                        List.of(device.request()),
                        device.pool(),
                        device.device(),
                        List.of(RailDriver.CDI_KIND + "=" + RailDriver.cdiDevice(uid, device.device())),
                        device.shareId())))
                .toList();
        return List.of(PreparedGroup.plain(devices));
    }

    /**
     * The edits of a prepared claim, with the current device numbers; empty if a NIC is gone, in which case the spec
     * stays.
     */
    static Optional<ClaimEdits> edits(
            String pool, ClaimEntry.Completed entry, Optional<RdmaView> present, NetdevSupport netdev) {
        Optional<RailClaim> requested = RailClaim.read(entry.status(), pool).toOptional();
        if (present.isEmpty() || requested.isEmpty()) {
            return Optional.empty();
        }
        RdmaView view = present.get();
        RailClaim claim = requested.get();
        List<Rail> rails = claim.devices().stream()
                .map(AllocatedDevice::device)
                .flatMap(device -> offered(device, view).or(() -> unoffered(device, view)).stream())
                .toList();
        boolean complete = rails.size() == claim.devices().size();
        return complete && (!claim.config().movesInterfaces() || movable(rails, netdev))
                ? Optional.of(new RailEdits(rails, claim.config(), view, netdev).of(entry.uid()))
                : Optional.empty();
    }

    /**
     * Whether the spec can be derived: not while interfaces are in the container, nor before the runtime's support is
     * known.
     */
    private static boolean movable(List<Rail> rails, NetdevSupport netdev) {
        return netdev instanceof NetdevSupport.Supported
                && rails.stream().noneMatch(rail -> rail.nic().netdev().isEmpty());
    }

    private static Optional<Rail> unoffered(String device, RdmaView view) {
        return view.inventory().readNics().stream()
                .filter(nic -> Optional.of(nic.pci().address()).equals(Rail.address(device)))
                .findFirst()
                .flatMap(nic -> nic.ports().stream().findFirst().flatMap(port -> Rail.of(nic, port, List.of())));
    }
}
