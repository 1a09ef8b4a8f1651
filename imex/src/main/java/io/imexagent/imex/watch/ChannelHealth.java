package io.imexagent.imex.watch;

import io.imexagent.dra.kubelet.DeviceHealth;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.probe.InventorySource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The health of the devices for the kubelet, derived from the inventory, nvidia-imex and the complaint of a GPU. */
public record ChannelHealth(
        InventorySource inventory,
        ImexSource imex,
        Supplier<Optional<String>> complaint,
        Supplier<ServingPolicy> policy,
        DegradedReporting degraded)
        implements DeviceHealthSource {

    /** The state to report for a device that works with limits. */
    public enum DegradedReporting {
        /** Healthy, with a message that says what is missing. */
        HEALTHY,
        UNHEALTHY
    }

    @Override
    public List<DeviceHealth> current() {
        ChannelStatus ofGpus = complaint
                .get()
                .map(why -> new ChannelStatus(ChannelStatus.ChannelCondition.UNHEALTHY, why))
                .orElse(ChannelStatus.WELL);
        ChannelStatus health = ChannelStatus.of(inventory.current())
                .and(ChannelStatus.of(imex))
                .and(ofGpus);
        DeviceHealth.HealthStatus status = switch (health.status()) {
            case HEALTHY -> DeviceHealth.HealthStatus.HEALTHY;
            case DEGRADED ->
                degraded == DegradedReporting.HEALTHY
                        ? DeviceHealth.HealthStatus.HEALTHY
                        : DeviceHealth.HealthStatus.UNHEALTHY;
            case UNHEALTHY -> DeviceHealth.HealthStatus.UNHEALTHY;
            case UNKNOWN -> DeviceHealth.HealthStatus.UNKNOWN;
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
