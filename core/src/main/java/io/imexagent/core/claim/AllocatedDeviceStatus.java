package io.imexagent.core.claim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a driver reported of an allocated device, {@code resource.k8s.io/v1 AllocatedDeviceStatus}. The agent only
 * carries it.
 *
 * @param driver the driver
 * @param pool the pool
 * @param device the device
 * @param shareId the share, where the device is shared
 * @param conditions conditions of the device
 * @param data what only the driver understands
 * @param networkData the device as a network interface
 */
public record AllocatedDeviceStatus(
        String driver,
        String pool,
        String device,
        Optional<String> shareId,
        List<Condition> conditions,
        Optional<JsonText> data,
        Optional<NetworkData> networkData) {

    public AllocatedDeviceStatus {
        conditions = List.copyOf(conditions);
    }

    /**
     * A condition, {@code meta/v1 Condition}.
     *
     * @param type the condition
     * @param status {@code True}, {@code False} or {@code Unknown}
     * @param observedGeneration the generation that it was seen on
     * @param lastTransitionTime when the status changed last; empty where no writer said
     * @param reason the cause in one word
     * @param message the cause in a sentence
     */
    public record Condition(
            String type,
            String status,
            OptionalLong observedGeneration,
            Optional<Instant> lastTransitionTime,
            String reason,
            String message) {}

    /**
     * A network interface; empty texts are absent fields.
     *
     * @param interfaceName the interface's name in the pod
     * @param ips its addresses in CIDR form
     * @param hardwareAddress its MAC or InfiniBand address
     */
    public record NetworkData(String interfaceName, List<String> ips, String hardwareAddress) {

        public NetworkData {
            ips = List.copyOf(ips);
        }
    }
}
