package io.imexagent.core.claim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the scheduler gave to a claim, {@code resource.k8s.io/v1 AllocationResult}.
 *
 * @param results the devices, of this driver and of others
 * @param config the opaque configuration that goes with them, classes first
 * @param nodeSelector the nodes on which the devices can be used
 * @param timestamp when the claim was allocated, in whole seconds
 */
public record Allocation(
        List<AllocatedDevice> results,
        List<DeviceConfig> config,
        Optional<NodeSelector> nodeSelector,
        Optional<Instant> timestamp) {

    public Allocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
    }

    /** What of this allocation concerns the driver. */
    Allocation ofDriver(String driver) {
        List<DeviceConfig> own = config.stream()
                .filter(one ->
                        one.opaque().filter(it -> it.driver().equals(driver)).isPresent())
                .toList();
        return new Allocation(resultsOf(driver), own, nodeSelector, timestamp);
    }

    /** The devices that the driver of this name prepares. */
    public List<AllocatedDevice> resultsOf(String driver) {
        return results.stream().filter(result -> result.driver().equals(driver)).toList();
    }
}
