package io.imexagent.imex.probe;

import io.imexagent.core.inventory.NodeInventory;
import java.util.function.Consumer;

/** The last inventory of the node, with notice of each change. */
public interface InventorySource {

    /** The latest inventory. Never blocks. */
    NodeInventory current();

    /**
     * Adds a listener for every changed inventory. It is called in order, on the thread that read the inventory, and
     * must not block; it is not called for the current inventory.
     */
    void onChange(Consumer<NodeInventory> listener);
}
