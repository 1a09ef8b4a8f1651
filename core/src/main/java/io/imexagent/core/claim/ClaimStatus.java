package io.imexagent.core.claim;

import java.util.List;
import java.util.Optional;

/**
 * The status of a ResourceClaim, {@code resource.k8s.io/v1 ResourceClaimStatus}. Two equal statuses are the same
 * version of a claim.
 *
 * @param allocation what the scheduler gave to the claim; empty while it is not allocated
 * @param reservedFor who may use the claim, normally one pod
 * @param devices what drivers reported of the allocated devices
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

    /**
     * A user of the claim.
     *
     * @param apiGroup the API group of the resource, empty for the core group
     * @param resource the resource in plural, {@code pods}
     * @param name the name of the user in the claim's namespace
     * @param uid the UID of that object
     */
    public record ConsumerReference(String apiGroup, String resource, String name, String uid) {}
}
