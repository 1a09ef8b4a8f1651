package io.imexagent.rdma.dra;

import io.imexagent.core.claim.AllocatedDevice;
import io.imexagent.core.claim.ClaimEdits;
import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.inventory.PciAddress;
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
import io.imexagent.rdma.inventory.Distance;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.NetnsMode;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.selection.Rail;
import io.imexagent.rdma.selection.Verdict;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plans the preparation of one claim for rails: (facts, ledger, node, time) → outcome. Pure. */
public final class RailPlanner {

    private final RailDemandReader demands;

    /** A planner that reads claims with this reader. */
    public RailPlanner(RailDemandReader demands) {
        this.demands = demands;
    }

    /**
     * Plans the claim of these facts at this time.
     *
     * @param node the node; empty before it has been read
     */
    public PrepareOutcome plan(ClaimFacts facts, Ledger ledger, Optional<RailNode> node, Instant now) {
        Optional<PrepareOutcome.Ready> answered = ClaimState.answered(facts.ref(), ledger, entry -> grant(entry, node));
        if (answered.isPresent()) {
            return answered.get();
        }
        return switch (ClaimState.of(facts, ledger, now)) {
            case ClaimState.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
            case ClaimState.Sound sound ->
                switch (demands.read(sound.status())) {
                    case RailDemand.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
                    case RailDemand.Rails demand -> plan(facts, sound.status(), demand, ledger, node);
                };
        };
    }

    private static PrepareOutcome plan(
            ClaimFacts facts, ClaimStatus status, RailDemand.Rails demand, Ledger ledger, Optional<RailNode> node) {
        ClaimRef ref = facts.ref();
        Optional<Refusal> held = demand.devices().stream()
                .flatMap(device -> held(ref, device, ledger).stream())
                .findFirst();
        if (held.isPresent()) {
            return new PrepareOutcome.Refused(held.get());
        }
        if (node.isEmpty()) {
            return refused(
                    RefusalCode.RAILS_UNKNOWN,
                    "the RDMA devices of this node have not been read yet; the claim is retried");
        }
        if (node.get().inventory().netnsMode() instanceof NetnsMode.Exclusive) {
            return refused(
                    RefusalCode.RDMA_NAMESPACES,
                    "network namespaces of this node do not share RDMA devices, so no container would see one; the"
                            + " operator must run 'rdma system set netns shared' before any namespace is made");
        }
        var rails = new ArrayList<Rail>();
        for (AllocatedDevice device : demand.devices()) {
            Optional<Rail> offered = offered(device.device(), node.get());
            if (offered.isEmpty()) {
                return new PrepareOutcome.Refused(notOffered(device.device(), node.get()));
            }
            rails.add(offered.get());
        }
        if (demand.config().mode() == RailConfig.Mode.NETDEV) {
            Optional<Refusal> immovable = NetdevRules.objection(node.get(), rails, facts.pod());
            if (immovable.isPresent()) {
                return new PrepareOutcome.Refused(immovable.get());
            }
        }
        return ready(ref, status, demand, RailEdits.of(ref.uid(), rails, demand.config(), node.get()));
    }

    private static PrepareOutcome ready(ClaimRef ref, ClaimStatus status, RailDemand.Rails demand, ClaimEdits edits) {
        var name = Optional.of(ref.name());
        ClaimEntry.Completed completed = completed(ref.uid(), name, status, demand);
        return new PrepareOutcome.Ready(
                completed,
                List.of(
                        new Effect.RecordEntry(new ClaimEntry.Started(ref.uid(), name, status)),
                        new Effect.WriteCdi(ref.uid(), edits),
                        new Effect.RecordEntry(completed)));
    }

    /** A claim with admin access sees a device without owning it. */
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

    private static boolean owns(ClaimEntry.Completed holder, String device) {
        return holder.status().allocation().stream()
                .flatMap(allocation -> allocation.resultsOf(RailDriver.NAME).stream())
                .anyMatch(
                        one -> one.device().equals(device) && !one.adminAccess().orElse(false));
    }

    private static Optional<Rail> offered(String device, RailNode node) {
        Optional<PciAddress> address = Rail.address(device);
        return node.selection().rails().stream()
                .filter(rail -> Optional.of(rail.nic().pci().address()).equals(address))
                .findFirst();
    }

    private static Refusal notOffered(String device, RailNode node) {
        Optional<Verdict> verdict = node.selection().verdicts().stream()
                .filter(one -> one.reading().address().equals(Rail.address(device)))
                .findFirst();
        String why = verdict.map(one -> one.reading().label() + " " + reason(one.choice()))
                .orElse("the node has no RDMA device there; see imex-agent rdma show on the node");
        return new Refusal(
                RefusalCode.RAIL_NOT_OFFERED,
                "device " + device + " is not offered by this node now: " + why + "; the claim is retried");
    }

    private static String reason(Choice choice) {
        return switch (choice) {
            case Choice.Kept kept -> "is kept back by rdma.strict; see imex-agent rdma check on the node";
            case Choice.Dropped dropped -> "is dropped: " + dropped.reason() + "; " + dropped.remedy();
        };
    }

    /** What a claim of this status is given, from the status alone: of rails only their names are remembered. */
    public PrepareOutcome promise(ClaimUid uid, Optional<ClaimName> name, ClaimStatus status) {
        return switch (demands.read(status)) {
            case RailDemand.Refused refused -> new PrepareOutcome.Refused(refused.refusal());
            case RailDemand.Rails demand -> new PrepareOutcome.Ready(completed(uid, name, status, demand), List.of());
        };
    }

    private static ClaimEntry.Completed completed(
            ClaimUid uid, Optional<ClaimName> name, ClaimStatus status, RailDemand.Rails demand) {
        List<PreparedDevice> devices = demand.devices().stream()
                .<PreparedDevice>map(device -> new PreparedDevice.Plain(new PreparedDevice.Handed(
                        List.of(device.request()),
                        device.pool(),
                        device.device(),
                        List.of(RailDriver.CDI_KIND + "=" + RailDriver.cdiDevice(uid, device.device())),
                        device.shareId())))
                .toList();
        return new ClaimEntry.Completed(uid, name, status, List.of(PreparedGroup.plain(devices)));
    }

    /**
     * The CDI effect that a prepared claim needs to be usable: its nodes as they are numbered now. A NIC whose link is
     * down has nodes too; none where a NIC of the claim is not there at all, and the spec stays as it is.
     */
    public List<Effect> grant(ClaimEntry.Completed entry, Optional<RailNode> node) {
        if (node.isEmpty() || !(demands.read(entry.status()) instanceof RailDemand.Rails demand)) {
            return List.of();
        }
        var rails = new ArrayList<Rail>();
        for (AllocatedDevice device : demand.devices()) {
            Optional<Rail> rail = offered(device.device(), node.get()).or(() -> present(device.device(), node.get()));
            if (rail.isEmpty()) {
                return List.of();
            }
            rails.add(rail.get());
        }
        return demand.config().mode() == RailConfig.Mode.NETDEV && !movable(rails, node.get())
                ? List.of()
                : List.of(new Effect.WriteCdi(
                        entry.uid(), RailEdits.of(entry.uid(), rails, demand.config(), node.get())));
    }

    /** Interfaces that are in the container, or a runtime that was not asked: nobody can tell what the spec says. */
    private static boolean movable(List<Rail> rails, RailNode node) {
        return node.netdev() instanceof NetdevSupport.Supported
                && rails.stream().noneMatch(rail -> rail.nic().interfaceName().isEmpty());
    }

    private static Optional<Rail> present(String device, RailNode node) {
        return node.inventory().nics().stream()
                .filter(reading -> reading.address().equals(Rail.address(device)))
                .flatMap(reading -> reading instanceof NicReading.Read read
                        ? asRail(read.nic()).stream()
                        : Optional.<Rail>empty().stream())
                .findFirst();
    }

    private static Optional<Rail> asRail(Nic nic) {
        Optional<Port> port = nic.ports().stream().findFirst();
        return nic.uverbs()
                .flatMap(uverbs -> port.map(first -> new Rail(
                        nic,
                        uverbs,
                        first,
                        first.linkLayer() == LinkLayer.ETHERNET ? first.bestGid(nic.interfaceName()) : Optional.empty(),
                        Distance.SYSTEM,
                        List.of())));
    }

    private static PrepareOutcome refused(RefusalCode code, String message) {
        return new PrepareOutcome.Refused(new Refusal(code, message));
    }
}
