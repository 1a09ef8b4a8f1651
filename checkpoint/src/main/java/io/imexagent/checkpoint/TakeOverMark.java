package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimStatus.AllocatedDeviceStatus;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice.ReturnedDevice;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * Marks an entry that was not recorded when its claim was prepared, but reconstructed from records of others. The mark
 * is a condition of the claim's devices in the recorded status, which all formats of checkpoints, and other drivers,
 * preserve.
 */
public final class TakeOverMark {

    private static final String TYPE = "imexagent.io/TakenOver";

    private TakeOverMark() {}

    /** The status with the mark on these devices of the driver. */
    public static ClaimStatus on(ClaimStatus status, String driver, List<ReturnedDevice> devices, Instant at) {
        Stream<AllocatedDeviceStatus> marks = devices.stream().map(device -> mark(driver, device, at));
        return new ClaimStatus(
                status.allocation(),
                status.reservedFor(),
                Stream.concat(status.devices().stream(), marks).toList());
    }

    private static AllocatedDeviceStatus mark(String driver, ReturnedDevice device, Instant at) {
        var json = new GoJson()
                .beginObject()
                .field("driver", driver)
                .field("pool", device.pool())
                .field("device", device.device());
        device.shareId().ifPresent(share -> json.field("shareID", share));
        var condition = new GoJson()
                .beginObject()
                .field("type", TYPE)
                .field("status", "True")
                .field("lastTransitionTime", at)
                .field("reason", "RecordMissing")
                .field("message", "taken over without a checkpoint")
                .endObject()
                .json();
        return new AllocatedDeviceStatus(
                driver, json.list("conditions", List.of(condition)).endObject().json());
    }

    /** Whether the entry has the mark. */
    public static boolean isOn(ClaimEntry entry) {
        return entry.status().devices().stream()
                .anyMatch(device -> device.json().text().contains("\"type\":\"" + TYPE + "\""));
    }
}
