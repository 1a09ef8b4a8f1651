package io.imexagent.core.slice;

import io.imexagent.core.inventory.Finding;
import java.util.List;

/** The pool of devices that the node publishes. */
public sealed interface DesiredPool {

    /**
     * Publish these devices, in a stable order, in slices of at most {@code perSlice}. The {@code unshared} devices, if
     * any, replace them on a server that stores only devices for one claim each.
     */
    record Publish(String pool, List<Device> devices, int perSlice, List<Device> unshared) implements DesiredPool {

        public Publish {
            devices = List.copyOf(devices);
            unshared = List.copyOf(unshared);
            if (perSlice < 1 || perSlice > Device.MOST_PER_SLICE) {
                throw new IllegalArgumentException(
                        "a slice takes 1 to " + Device.MOST_PER_SLICE + " devices, not " + perSlice);
            }
        }

        /** As many devices in a slice as the API server accepts, which is fewer if one of them has a taint. */
        public Publish(String pool, List<Device> devices) {
            this(
                    pool,
                    devices,
                    devices.stream().allMatch(device -> device.taints().isEmpty())
                            ? Device.MOST_PER_SLICE
                            : Device.MOST_PER_TAINTED_SLICE,
                    List.of());
        }

        /** The pool for a server without devices for several claims; unchanged if it needs no replacement. */
        public Publish withoutSharing() {
            return unshared.isEmpty() ? this : new Publish(pool, unshared, perSlice, List.of());
        }

        /**
         * This pool with these taints, possibly none, on each device. The number in a slice is that of tainted devices
         * in any case, so that it does not change with the taints.
         */
        public Publish tainted(List<Device.DeviceTaint> taints) {
            return new Publish(
                    pool,
                    tainted(devices, taints),
                    Math.min(perSlice, Device.MOST_PER_TAINTED_SLICE),
                    tainted(unshared, taints));
        }

        private static List<Device> tainted(List<Device> devices, List<Device.DeviceTaint> taints) {
            return devices.stream().map(device -> device.tainted(taints)).toList();
        }
    }

    /** Publish nothing and remove the existing slices; the finding is the reason for the operator. */
    record Withdraw(Finding why) implements DesiredPool {}

    /** Keep the existing slices: the node could not be probed, and a failed probe removes no device. */
    record Keep(Finding why) implements DesiredPool {}
}
