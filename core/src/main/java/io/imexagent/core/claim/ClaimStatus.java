package io.imexagent.core.claim;

import java.util.List;
import java.util.Optional;

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

    /** What a driver reported of an allocated device, carried as it is recorded. */
    public record AllocatedDeviceStatus(String driver, JsonText json) {}
}
