package io.imexagent.checkpoint;

import io.imexagent.core.ledger.PreparedDevice;

/** What the kubelet was told of a device, with the field names of the public driver. */
final class HandedJson {

    private HandedJson() {}

    static void write(GoJson json, PreparedDevice.Handed handed) {
        json.beginObject()
                .field("Requests", handed.requests())
                .field("PoolName", handed.pool())
                .field("DeviceName", handed.device())
                .field("CDIDeviceIDs", handed.cdiDeviceIds());
        handed.shareId().ifPresent(share -> json.field("ShareID", share));
        json.endObject();
    }

    static PreparedDevice.Handed read(JsonValue json) throws MalformedJsonException {
        return new PreparedDevice.Handed(
                json.texts("Requests"),
                json.text("PoolName"),
                json.text("DeviceName"),
                json.texts("CDIDeviceIDs"),
                json.field("ShareID", JsonValue::text));
    }
}
