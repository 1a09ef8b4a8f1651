package io.imexagent.imex.watch;

import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.probe.InventorySource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The health of the devices that inventory, nvidia-imex and the complaint of a GPU lead to, for the kubelet. */
public record ChannelHealth(
        InventorySource inventory,
        ImexSource imex,
        Supplier<Optional<String>> complaint,
        Supplier<ServingPolicy> policy,
        Degraded degraded)
        implements DeviceHealthSource {

    /** What a device is called that works with less than it could. */
    public enum Degraded {
        /** Healthy, with a message that says what is missing. */
        HEALTHY,
        UNHEALTHY
    }

    @Override
    public List<DeviceHealth> current() {
        Health ofGpus = complaint
                .get()
                .map(why -> new Health(Health.Status.UNHEALTHY, why))
                .orElse(Health.WELL);
        Health health = Health.of(inventory.current()).and(Health.of(imex)).and(ofGpus);
        DeviceHealth.Status status = switch (health.status()) {
            case HEALTHY -> DeviceHealth.Status.HEALTHY;
            case DEGRADED -> degraded == Degraded.HEALTHY ? DeviceHealth.Status.HEALTHY : DeviceHealth.Status.UNHEALTHY;
            case UNHEALTHY -> DeviceHealth.Status.UNHEALTHY;
            case UNKNOWN -> DeviceHealth.Status.UNKNOWN;
        };
        ServingPolicy serving = policy.get();
        return Stream.concat(serving.device().stream(), serving.placeNames().stream())
                .map(device -> new DeviceHealth(serving.poolName(), device, status, health.message()))
                .toList();
    }

    @Override
    public void onChange(Runnable listener) {
        inventory.onChange(changed -> listener.run());
        imex.onChange(listener);
    }
}
