package io.imexagent.rdma.selection;

import io.imexagent.rdma.inventory.GpuPlace;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Choice.Dropped;
import io.imexagent.rdma.selection.Choice.Rule;
import java.util.ArrayList;
import java.util.List;

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
            verdicts.add(new NicVerdict(reading, nicClass, choice(reading, nicClass, inventory.gpus())));
            if (policy.strict()
                    && nicClass instanceof NicClass.Unusable(NicClass.Cause cause, String reason)
                    && cause == NicClass.Cause.NO_ADDRESS
                    && reading.asNic()
                            .filter(nic -> isIncluded(nic) && isAtPeer(nic))
                            .isPresent()) {
                failures.add(reason);
            }
        }
        return new Selection(verdicts, failures, new SelectionFindings(inventory, verdicts, policy).all(failures));
    }

    private Choice choice(NicReading reading, NicClass nicClass, List<GpuPlace> gpus) {
        return switch (nicClass) {
            case NicClass.Uplink(String reason, boolean excluded) ->
                excluded
                        ? new Dropped(Rule.EXCLUDED, reason, "change rdma.exclude, or name the NIC in rdma.include")
                        : new Dropped(
                                Rule.UPLINK,
                                reason,
                                "leave it to the host; if it must be offered, name it in rdma.include and set"
                                        + " rdma.includeUplinks");
            case NicClass.Storage(String reason) ->
                new Dropped(
                        Rule.STORAGE,
                        reason,
                        "take the device out of rdma.storageDevices, or name the NIC in rdma.include");
            case NicClass.VirtualFunction(String reason) ->
                new Dropped(Rule.VIRTUAL_FUNCTION, reason, "name the NIC in rdma.include");
            case NicClass.Unusable(NicClass.Cause cause, String reason) ->
                new Dropped(Rule.UNUSABLE, reason, cause.remedy());
            case NicClass.Rail _ -> rail(reading.asNic().orElseThrow(), gpus);
        };
    }

    private Choice rail(Nic nic, List<GpuPlace> gpus) {
        if (!isIncluded(nic)) {
            return new Dropped(Rule.NOT_INCLUDED, "rdma.include does not name it", "name it in rdma.include");
        }
        if (!isAtPeer(nic)) {
            return new Dropped(
                    Rule.NOT_AT_PEER,
                    "the peer does not have it",
                    "make it usable on the peer and run 'imex-agent rdma summary' there, or leave it out on both");
        }
        return Classifier.usablePort(nic)
                .flatMap(port -> Rail.of(nic, port, gpus))
                .map(Choice.Kept::new)
                .orElseThrow();
    }

    private boolean isIncluded(Nic nic) {
        return policy.include().isEmpty() || nic.isNamed(policy.include());
    }

    private boolean isAtPeer(Nic nic) {
        return policy.peer().map(nic::isNamed).orElse(true);
    }
}
