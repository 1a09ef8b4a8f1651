package io.imexagent.core.ledger;

import java.util.List;

/** Devices of one configuration, of the type channel or daemon; empty is what a foreign writer left out. */
public record PreparedGroup(List<PreparedDevice> devices, String type, String computeDomain) {

    public PreparedGroup {
        devices = List.copyOf(devices);
    }

    /** Plain devices, of which there is no more to say. */
    public static PreparedGroup plain(List<PreparedDevice> devices) {
        return new PreparedGroup(devices, "", "");
    }
}
