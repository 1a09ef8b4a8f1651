package io.imexagent.kubernetes;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What a driver says of the devices of claims, in their {@code status.devices}. Blocking: call on a virtual thread. */
public interface DeviceReports {

    /**
     * Reports this of the devices, all of one driver, in the place of what was reported of the claim's devices of this driver
     * before;
     * entries of other drivers stay, and without devices nothing is reported. The claim is the
     * one of this UID: kind {@code NOT_FOUND} where it is gone, or the name another's by now, and {@code INVALID} where
     * a device is no longer allocated. Kind {@code UNSUPPORTED} before Kubernetes 1.36, where the right to this would be a
     * right to allocations.
     */
    void report(ClaimName claim, String uid, List<DeviceReport> devices) throws ApiException;

    /** What is said of an allocated device, since when. */
    record DeviceReport(
            String driver, String pool, String device, Optional<String> shareId, Facts facts, Instant since) {}

    /**
     * That a device is ready, as a reason in one word and a message for people; what programs may want to know, a JSON
     * object of at most 10 KiB; and the network interface.
     */
    record Facts(String reason, String message, Optional<JsonText> data, Optional<Network> network) {

        /** Prepared, with nothing to say beside that. */
        public static final Facts PREPARED =
                new Facts("Prepared", "the device is prepared", Optional.empty(), Optional.empty());
    }

    /** A network interface: its name, addresses with their prefix ({@code 192.0.2.5/24}, at most 16), MAC where known. */
    record Network(String interfaceName, List<String> addresses, Optional<String> mac) {

        /** As many as the API takes. */
        private static final int MOST_ADDRESSES = 16;

        public Network {
            addresses = addresses.stream().limit(MOST_ADDRESSES).toList();
        }
    }
}
