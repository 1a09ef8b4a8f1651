package io.imexagent.core.ledger;

import java.util.List;

/**
 * The devices that one configuration of a claim led to. The type is {@code channel} or {@code daemon}; it and the UID
 * of the ComputeDomain are empty where a foreign writer left them out.
 */
public record PreparedGroup(List<PreparedDevice> devices, String type, String computeDomain) {

    public PreparedGroup {
        devices = List.copyOf(devices);
    }

    /** Plain devices, of which there is no more to say. */
    public static PreparedGroup plain(List<PreparedDevice> devices) {
        return new PreparedGroup(devices, "", "");
    }
}
