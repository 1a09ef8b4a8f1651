package io.imexagent.core.slice;

import io.imexagent.core.inventory.Finding;
import java.util.List;

/** What the node wants to publish. */
public sealed interface DesiredPool {

    /**
     * These devices, in a stable order, cut into slices of so many at most, from 1. The unshared ones, if any, take their
     * place where the server stores them as devices for one claim each.
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

        /** As many devices in a slice as the API server takes: fewer where one of them has a taint. */
        public Publish(String pool, List<Device> devices) {
            this(
                    pool,
                    devices,
                    devices.stream().allMatch(device -> device.taints().isEmpty())
                            ? Device.MOST_PER_SLICE
                            : Device.MOST_PER_TAINTED_SLICE,
                    List.of());
        }

        /** What takes their place on a server that knows no device for several claims; the same if nothing does. */
        public Publish withoutSharing() {
            return unshared.isEmpty() ? this : new Publish(pool, unshared, perSlice, List.of());
        }

        /** These devices, each with these taints, also none; cut as if tainted, so that the cut stays. */
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

    /** Nothing: slices of before are removed, for a reason that the operator can read. */
    record Withdraw(Finding why) implements DesiredPool {}

    /** What there is stays: the node could not tell what it has, and a failed probe takes no device away. */
    record Keep(Finding why) implements DesiredPool {}
}
