package io.imexagent.imex.probe;

import io.imexagent.core.inventory.NodeInventory;
import java.util.function.Consumer;

/** The node's inventory as it was read last, and word of every change. */
public interface InventorySource {

    /** The latest inventory. Never blocks. */
    NodeInventory current();

    /**
     * Calls the listener with every inventory that tells something new, in order, on the thread that read it; the
     * listener must not block. Nothing is called for the present one.
     */
    void onChange(Consumer<NodeInventory> listener);
}
