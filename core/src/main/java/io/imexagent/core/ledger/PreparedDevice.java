package io.imexagent.core.ledger;

import io.imexagent.core.claim.ChannelId;
import java.util.List;
import java.util.Optional;

/** A device of a prepared claim, as the ledger records it. */
public sealed interface PreparedDevice {

    ReturnedDevice returned();

    /** Whether the device changes containers at all. */
    default boolean reachesContainers() {
        return returned().reachesContainers();
    }

    record Channel(ChannelId id, ReturnedDevice returned) implements PreparedDevice {}

    /** A driver-managed IMEX daemon: never prepared here, but met in the public driver's checkpoint. */
    record Daemon(ReturnedDevice returned) implements PreparedDevice {}

    /** A device whose nodes are looked up again when they are needed. */
    record Plain(ReturnedDevice returned) implements PreparedDevice {}

    /** As returned to the kubelet: requests with subrequests, pool, name, CDI devices, and the share, if any. */
    record ReturnedDevice(
            List<String> requests, String pool, String device, List<String> cdiDeviceIds, Optional<String> shareId) {

        public ReturnedDevice {
            requests = List.copyOf(requests);
            cdiDeviceIds = List.copyOf(cdiDeviceIds);
        }

        /**
         * Whether containers get a channel. On a node without an NVLink clique, a claim can be prepared without a CDI
         * device; it then holds no channel.
         */
        public boolean reachesContainers() {
            return !cdiDeviceIds.isEmpty();
        }
    }
}
