package io.imexagent.core.claim;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The status of a ResourceClaim, {@code resource.k8s.io/v1 ResourceClaimStatus}; the allocation is empty while there is
 * none. Two equal statuses are the same version of a claim.
 */
public record ClaimStatus(
        Optional<Allocation> allocation, List<ConsumerReference> reservedFor, List<AllocatedDeviceStatus> devices) {

    public ClaimStatus {
        reservedFor = List.copyOf(reservedFor);
        devices = List.copyOf(devices);
    }

    /** What of this status concerns the driver: other drivers' devices, their configuration and reports are left out. */
    public ClaimStatus ofDriver(String driver) {
        return new ClaimStatus(
                allocation.map(all -> all.ofDriver(driver)),
                reservedFor,
                devices.stream()
                        .filter(device -> device.driver().equals(driver))
                        .toList());
    }

    /** A user of the claim, of a resource in plural, {@code pods}; the API group is empty for the core group. */
    public record ConsumerReference(String apiGroup, String resource, String name, String uid) {}

    /**
     * What a driver reported of an allocated device, {@code resource.k8s.io/v1 AllocatedDeviceStatus}; {@code data}
     * only the driver understands. The agent only carries it.
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

        /** A condition, {@code meta/v1 Condition}; the time is empty where no writer said it. */
        public record Condition(
                String type,
                String status,
                OptionalLong observedGeneration,
                Optional<Instant> lastTransitionTime,
                String reason,
                String message) {}

        /** A network interface in the pod, with addresses in CIDR form; empty texts are absent fields. */
        public record NetworkData(String interfaceName, List<String> ips, String hardwareAddress) {

            public NetworkData {
                ips = List.copyOf(ips);
            }
        }
    }
}
