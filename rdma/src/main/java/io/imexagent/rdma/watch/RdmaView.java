package io.imexagent.rdma.watch;

import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.RailSelector;
import io.imexagent.rdma.selection.Selection;
import io.imexagent.rdma.selection.SelectionPolicy;
import java.time.Instant;

/** The RDMA side of the node at one moment, and what was decided about it. */
public record RdmaView(Instant takenAt, RdmaInventory inventory, Selection selection) {

    /** What this policy decides about the same NICs. */
    public RdmaView under(SelectionPolicy policy) {
        return new RdmaView(takenAt, inventory, new RailSelector(policy).select(inventory));
    }

    /** Whether both are the same, apart from the time. */
    public boolean tellsTheSameAs(RdmaView other) {
        return inventory.equals(other.inventory) && selection.equals(other.selection);
    }
}
