package io.imexagent.core.ledger;

import java.util.List;

/**
 * The devices that one configuration of a claim led to.
 *
 * @param devices the devices
 * @param type what they are: {@code channel} or {@code daemon}; empty where a foreign writer left it out
 * @param computeDomain the UID of the ComputeDomain that they belong to; empty likewise
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
