package io.imexagent.rdma.selection;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.inventory.Distance;
import io.imexagent.rdma.inventory.GpuPlace;
import io.imexagent.rdma.inventory.LinkLayer;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.PciPath;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Choice.Dropped;
import io.imexagent.rdma.selection.Choice.Rule;
import io.imexagent.rdma.selection.NicClass.Cause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Decides for every NIC of a node whether it is offered. The same inventory and policy always give the same. */
public final class RailSelector {

    private final SelectionPolicy policy;

    /** A selector under this policy. */
    public RailSelector(SelectionPolicy policy) {
        this.policy = policy;
    }

    /** The verdict on every NIC. */
    public Selection select(RdmaInventory inventory) {
        var classifier = new Classifier(inventory.uplinks(), policy);
        List<NicVerdict> verdicts = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (NicReading reading : inventory.nics()) {
            NicClass nicClass = classifier.of(reading);
            Choice choice = choice(reading, nicClass, classifier, inventory);
            verdicts.add(new NicVerdict(reading, nicClass, choice));
            if (policy.strict()
                    && nicClass instanceof NicClass.Unusable unusable
                    && unusable.cause() == Cause.NO_ADDRESS
                    && isAskedFor(reading)) {
                failures.add(unusable.reason());
            }
        }
        List<Finding> findings = SelectionFindings.of(inventory, verdicts, failures, policy);
        return new Selection(verdicts, failures, findings);
    }

    private Choice choice(NicReading reading, NicClass nicClass, Classifier classifier, RdmaInventory inventory) {
        return switch (nicClass) {
            case NicClass.Uplink uplink -> uplink(reading, uplink, classifier);
            case NicClass.Storage storage ->
                new Dropped(
                        Rule.STORAGE,
                        storage.reason(),
                        "take the device out of rdma.storageDevices, or name the NIC in rdma.include");
            case NicClass.VirtualFunction virtual ->
                new Dropped(Rule.VIRTUAL_FUNCTION, virtual.reason(), "name the NIC in rdma.include");
            case NicClass.Unusable unusable ->
                new Dropped(Rule.UNUSABLE, unusable.reason(), unusable.cause().remedy());
            case NicClass.Rail rail -> rail(reading, inventory);
        };
    }

    private static Dropped uplink(NicReading reading, NicClass.Uplink uplink, Classifier classifier) {
        boolean byName = reading instanceof NicReading.Read read
                && classifier
                        .excludedBy(read.nic())
                        .filter(uplink.reason()::equals)
                        .isPresent();
        return byName
                ? new Dropped(Rule.EXCLUDED, uplink.reason(), "change rdma.exclude, or name the NIC in rdma.include")
                : new Dropped(
                        Rule.UPLINK,
                        uplink.reason(),
                        "leave it to the host; if it must be offered, name it in rdma.include and set"
                                + " rdma.includeUplinks");
    }

    private Choice rail(NicReading reading, RdmaInventory inventory) {
        if (!(reading instanceof NicReading.Read read)) {
            throw new IllegalStateException("a NIC without an RDMA device is no rail: " + reading.label());
        }
        Nic nic = read.nic();
        if (!isIncluded(nic)) {
            return new Dropped(Rule.NOT_INCLUDED, "rdma.include does not name it", "name it in rdma.include");
        }
        if (!isAtPeer(nic)) {
            return new Dropped(
                    Rule.NOT_AT_PEER,
                    "the peer does not have it",
                    "make it usable on the peer and run 'imex-agent rdma summary' there, or leave it out on both");
        }
        return new Choice.Kept(rail(nic, inventory.gpus()));
    }

    /** Whether the lists would let the NIC through: strict mode minds only what was to be offered. */
    private boolean isAskedFor(NicReading reading) {
        return reading instanceof NicReading.Read read && isIncluded(read.nic()) && isAtPeer(read.nic());
    }

    private boolean isIncluded(Nic nic) {
        return policy.include().isEmpty() || Classifier.isNamed(nic, policy.include());
    }

    private boolean isAtPeer(Nic nic) {
        return policy.peer().map(names -> Classifier.isNamed(nic, names)).orElse(true);
    }

    private static Rail rail(Nic nic, List<GpuPlace> gpus) {
        Port port = Classifier.usablePort(nic).orElseThrow();
        Distance nearest = gpus.stream()
                .map(gpu -> distance(nic, gpu))
                .min(Distance::compareTo)
                .orElse(Distance.SYSTEM);
        return new Rail(
                nic,
                nic.uverbs().orElseThrow(),
                port,
                port.linkLayer() == LinkLayer.ETHERNET ? port.bestGid(nic.interfaceName()) : Optional.empty(),
                nearest,
                nearest == Distance.SYSTEM ? List.of() : nearest(nic, gpus, nearest));
    }

    /** Of the GPUs at this distance those that share most bridges: with two tiers of switches, the own switch's. */
    private static List<GpuPlace> nearest(Nic nic, List<GpuPlace> gpus, Distance distance) {
        PciPath seat = nic.pci().path();
        List<GpuPlace> near =
                gpus.stream().filter(gpu -> distance(nic, gpu) == distance).toList();
        int most = near.stream()
                .mapToInt(gpu -> seat.sharedBridges(gpu.path()))
                .max()
                .orElse(0);
        return near.stream()
                .filter(gpu -> seat.sharedBridges(gpu.path()) == most)
                .toList();
    }

    /** How far the GPU is from the NIC. */
    public static Distance distance(Nic nic, GpuPlace gpu) {
        return Distance.between(nic.pci().path(), nic.pci().numaNode(), gpu.path(), gpu.numaNode());
    }
}
