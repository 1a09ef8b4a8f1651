package io.imexagent.rdma.watch;

import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.selection.Selection;
import java.time.Instant;

/** The RDMA side of the node at one moment, and what was decided about it. */
public record RdmaView(Instant takenAt, RdmaInventory inventory, Selection selection) {

    /** Whether both are the same, apart from the time. */
    public boolean tellsTheSameAs(RdmaView other) {
        return inventory.equals(other.inventory) && selection.equals(other.selection);
    }
}
