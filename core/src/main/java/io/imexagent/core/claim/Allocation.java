package io.imexagent.core.claim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the scheduler gave to a claim, {@code resource.k8s.io/v1 AllocationResult}: devices of this driver and of
 * others, with opaque configuration, classes first; the time is in whole seconds. The selector of the nodes on which it
 * can be used is carried as it is recorded.
 */
public record Allocation(
        List<AllocatedDevice> results,
        List<DeviceConfig> config,
        Optional<JsonText> nodeSelector,
        Optional<Instant> timestamp) {

    public Allocation {
        results = List.copyOf(results);
        config = List.copyOf(config);
    }

    Allocation ofDriver(String driver) {
        List<DeviceConfig> own = config.stream()
                .filter(one ->
                        one.opaque().filter(it -> it.driver().equals(driver)).isPresent())
                .toList();
        return new Allocation(resultsOf(driver), own, nodeSelector, timestamp);
    }

    public List<AllocatedDevice> resultsOf(String driver) {
        return results.stream().filter(result -> result.driver().equals(driver)).toList();
    }
}
