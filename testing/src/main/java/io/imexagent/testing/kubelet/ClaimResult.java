package io.imexagent.testing.kubelet;

import java.util.List;
import java.util.Optional;

/** What a plugin answered for one claim. */
public sealed interface ClaimResult {

    /** Success, with the devices of a prepared claim; none after an unprepare. */
    record ClaimDone(List<ClaimDevice> devices) implements ClaimResult {

        public ClaimDone {
            devices = List.copyOf(devices);
        }
    }

    /** Failure; the error is what the events of the pod show. */
    record ClaimFailed(String error) implements ClaimResult {}

    /**
     * A prepared device.
     *
     * @param requests the requests of the claim that it satisfies
     * @param name its name in the pool
     * @param cdiDeviceIds what the container runtime gets
     * @param shareId its share; always empty over v1beta1
     */
    record ClaimDevice(
            List<String> requests, String pool, String name, List<String> cdiDeviceIds, Optional<String> shareId) {

        public ClaimDevice {
            requests = List.copyOf(requests);
            cdiDeviceIds = List.copyOf(cdiDeviceIds);
        }
    }
}
