package io.imexagent.core.claim;

import java.util.List;
import java.util.Optional;

/**
 * The status of a ResourceClaim, {@code resource.k8s.io/v1 ResourceClaimStatus}; the allocation is empty while there is
 * none.
 */
public record ClaimStatus(
        Optional<Allocation> allocation, List<ConsumerReference> reservedFor, List<AllocatedDeviceStatus> devices) {

    public ClaimStatus {
        reservedFor = List.copyOf(reservedFor);
        devices = List.copyOf(devices);
    }

    /**
     * Whether both are of one version of a claim: the same allocation for the same users. What drivers report of its devices
     * comes later, and changes no version.
     */
    public boolean isSameVersion(ClaimStatus other) {
        return allocation.equals(other.allocation) && reservedFor.equals(other.reservedFor);
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
    public record ConsumerReference(String apiGroup, String resource, String name, String uid) {

        public boolean isPod() {
            return apiGroup.isEmpty() && resource.equals("pods");
        }

        /** Whether it stands for the pods of a PodGroup (KEP-5729, beta in Kubernetes 1.37), which name the group. */
        public boolean isPodGroup() {
            return apiGroup.equals("scheduling.k8s.io") && resource.equals("podgroups");
        }
    }

    /** What a driver reported of an allocated device, carried as it is recorded. */
    public record AllocatedDeviceStatus(String driver, JsonText json) {}
}
