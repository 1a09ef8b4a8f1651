package io.imexagent.agent.runtime;

import io.imexagent.agent.dra.DeviceHealth;
import io.imexagent.agent.dra.DeviceHealthSource;
import io.imexagent.agent.health.Health;
import io.imexagent.agent.health.InventoryHealth;
import io.imexagent.agent.probe.InventorySource;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.policy.ServingPolicy;
import io.imexagent.core.slice.Device;
import io.imexagent.core.slice.SlicePlanner;
import java.util.List;
import java.util.function.Supplier;

/** The health of the devices that the inventory leads to, for the kubelet. */
final class ChannelHealth implements DeviceHealthSource {

    private final InventorySource inventory;
    private final Supplier<ServingPolicy> policy;

    ChannelHealth(InventorySource inventory, Supplier<ServingPolicy> policy) {
        this.inventory = inventory;
        this.policy = policy;
    }

    @Override
    public List<DeviceHealth> current() {
        NodeInventory node = inventory.current();
        Health health = InventoryHealth.of(node);
        return SlicePlanner.channels(policy.get()).stream()
                .map(device -> of(device, health))
                .toList();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
    }

    private DeviceHealth of(Device device, Health health) {
        String pool = policy.get().poolName();
        return switch (health) {
            case Health.Healthy healthy -> new DeviceHealth(pool, device.name(), DeviceHealth.Status.HEALTHY, "");
            case Health.Unhealthy unhealthy ->
                new DeviceHealth(pool, device.name(), DeviceHealth.Status.UNHEALTHY, unhealthy.message());
            case Health.Unknown unknown ->
                new DeviceHealth(pool, device.name(), DeviceHealth.Status.UNKNOWN, unknown.message());
        };
    }
}
