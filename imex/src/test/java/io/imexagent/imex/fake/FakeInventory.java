package io.imexagent.imex.fake;

import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.probe.InventorySource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** An inventory that tests change. */
public final class FakeInventory implements InventorySource {

    private final AtomicReference<NodeInventory> current;
    private final List<Consumer<NodeInventory>> listeners = new CopyOnWriteArrayList<>();

    /** An inventory that begins with this one. */
    public FakeInventory(NodeInventory first) {
        current = new AtomicReference<>(first);
    }

    /** Changes the inventory and tells the listeners. */
    public void set(NodeInventory inventory) {
        current.set(inventory);
        listeners.forEach(listener -> listener.accept(inventory));
    }

    @Override
    public NodeInventory current() {
        return current.get();
    }

    @Override
    public void onChange(Consumer<NodeInventory> listener) {
        listeners.add(listener);
    }
}
