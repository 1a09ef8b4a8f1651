package io.imexagent.core.ledger;

import java.util.List;

/**
 * The devices of one configuration, of the type channel or daemon. A part that another writer of the checkpoint left
 * out is empty.
 */
public record PreparedGroup(List<PreparedDevice> devices, String type, String computeDomain) {

    public PreparedGroup {
        devices = List.copyOf(devices);
    }

    /** A group of plain devices. */
    public static PreparedGroup plain(List<PreparedDevice> devices) {
        return new PreparedGroup(devices, "", "");
    }
}
