package io.imexagent.kubernetes;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.JsonText;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A driver's reports about the devices of claims, in their {@code status.devices}. Calls block: make them on a virtual
 * thread.
 */
public interface DeviceReports {

    /**
     * Reports on devices, all of one driver. The report replaces the earlier one of this driver on the claim; entries
     * of other drivers stay. Without devices nothing is reported. Fails with kind {@code NOT_FOUND} if the claim of
     * this UID is gone or another claim has its name, with {@code INVALID} if a device is no longer allocated, and with
     * {@code UNSUPPORTED} before Kubernetes 1.36, where the right to report is also the right to change allocations.
     */
    void report(ClaimName claim, String uid, List<DeviceReport> devices) throws ApiException;

    /** The report about an allocated device, and since when it holds. */
    record DeviceReport(
            String driver, String pool, String device, Optional<String> shareId, Facts facts, Instant since) {}

    /**
     * The facts about a ready device: a reason in one word and a message for people; data for programs, a JSON object
     * of at most 10 KiB; and the network interface.
     */
    record Facts(String reason, String message, Optional<JsonText> data, Optional<Network> network) {

        /** The device is prepared, and has no other facts. */
        public static final Facts PREPARED =
                new Facts("Prepared", "the device is prepared", Optional.empty(), Optional.empty());
    }

    /**
     * A network interface: its name, at most 16 addresses with their prefix ({@code 192.0.2.5/24}), and its MAC address
     * if known.
     */
    record Network(String interfaceName, List<String> addresses, Optional<String> mac) {

        /** The API's limit. */
        private static final int MOST_ADDRESSES = 16;

        public Network {
            addresses = addresses.stream().limit(MOST_ADDRESSES).toList();
        }
    }
}
