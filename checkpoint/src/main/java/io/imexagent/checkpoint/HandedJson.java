package io.imexagent.checkpoint;

import io.imexagent.core.ledger.PreparedDevice;
import java.util.List;
import java.util.Optional;

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

    static PreparedDevice.Handed read(JsonCursor json) throws MalformedJsonException {
        List<String> requests = List.of();
        String pool = "";
        String device = "";
        List<String> cdiDeviceIds = List.of();
        var shareId = Optional.<String>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "Requests" -> requests = json.texts();
                case "PoolName" -> pool = json.text();
                case "DeviceName" -> device = json.text();
                case "CDIDeviceIDs" -> cdiDeviceIds = json.texts();
                case "ShareID" -> shareId = Optional.of(json.text());
                default -> json.skip();
            }
        }
        return new PreparedDevice.Handed(requests, pool, device, cdiDeviceIds, shareId);
    }
}
