package io.imexagent.rdma.selection;

import io.imexagent.rdma.inventory.NicReading;
import java.util.Optional;

/** What was decided about one NIC, and why it is in its class, as a clause. */
public record NicVerdict(NicReading reading, String reason, Choice choice) {

    /** What the NIC is for. */
    public NicClass nicClass() {
        return dropped().map(dropped -> dropped.rule().nicClass()).orElse(NicClass.RAIL);
    }

    /** The NIC as a rail, where it is offered. */
    public Optional<Rail> rail() {
        return choice instanceof Choice.Kept(Rail rail) ? Optional.of(rail) : Optional.empty();
    }

    /** Why it is not offered; empty where it is. */
    public Optional<Choice.Dropped> dropped() {
        return choice instanceof Choice.Dropped dropped ? Optional.of(dropped) : Optional.empty();
    }
}
