package io.imexagent.imex.watch;

import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.probe.InventorySource;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The health of the devices that inventory, nvidia-imex and GPUs lead to, for the kubelet. */
public record ChannelHealth(
        InventorySource inventory, Watched watched, Supplier<ServingPolicy> policy, Degraded degraded)
        implements DeviceHealthSource {

    /** What devices hang on beside the driver. */
    public interface Watched {

        Health devices();

        void onChange(Runnable listener);
    }

    /** What a device is called that works with less than it could. */
    public enum Degraded {
        /** Healthy, with a message that says what is missing. */
        HEALTHY,
        /** Unhealthy, likewise. */
        UNHEALTHY
    }

    @Override
    public List<DeviceHealth> current() {
        Health health = Health.of(inventory.current()).and(watched.devices());
        ServingPolicy serving = policy.get();
        return Stream.concat(serving.device().stream(), serving.placeNames().stream())
                .map(device -> of(device, health))
                .toList();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
        watched.onChange(listener);
    }

    private DeviceHealth of(String device, Health health) {
        DeviceHealth.Status status = switch (health.status()) {
            case HEALTHY -> DeviceHealth.Status.HEALTHY;
            case DEGRADED -> degraded == Degraded.HEALTHY ? DeviceHealth.Status.HEALTHY : DeviceHealth.Status.UNHEALTHY;
            case UNHEALTHY -> DeviceHealth.Status.UNHEALTHY;
            case UNKNOWN -> DeviceHealth.Status.UNKNOWN;
        };
        return new DeviceHealth(policy.get().poolName(), device, status, health.message());
    }
}
