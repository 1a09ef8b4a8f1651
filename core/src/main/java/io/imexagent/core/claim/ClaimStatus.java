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
     * Whether both statuses are of one version of a claim: the same allocation for the same users. The device status
     * that drivers report later does not change the version.
     */
    public boolean isSameVersion(ClaimStatus other) {
        return allocation.equals(other.allocation) && reservedFor.equals(other.reservedFor);
    }

    /** This status reduced to one driver: without the devices, configuration and reports of other drivers. */
    public ClaimStatus ofDriver(String driver) {
        return new ClaimStatus(
                allocation.map(all -> all.ofDriver(driver)),
                reservedFor,
                devices.stream()
                        .filter(device -> device.driver().equals(driver))
                        .toList());
    }

    /** A user of the claim. The resource is in the plural ({@code pods}); the API group is empty for the core group. */
    public record ConsumerReference(String apiGroup, String resource, String name, String uid) {

        public boolean isPod() {
            return apiGroup.isEmpty() && resource.equals("pods");
        }

        /** Whether the user is a PodGroup (KEP-5729, beta in Kubernetes 1.37), whose pods name the group. */
        public boolean isPodGroup() {
            return apiGroup.equals("scheduling.k8s.io") && resource.equals("podgroups");
        }
    }

    /** The status that a driver reported of an allocated device, unchanged. */
    public record AllocatedDeviceStatus(String driver, JsonText json) {}
}
