package io.imexagent.checkpoint;

import io.imexagent.core.claim.AllocatedDeviceStatus;
import io.imexagent.core.claim.JsonText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads what drivers reported of allocated devices, where the cursor is. */
final class DeviceStatusReader {

    private final JsonCursor json;

    DeviceStatusReader(JsonCursor json) {
        this.json = json;
    }

    AllocatedDeviceStatus device() throws MalformedJsonException {
        String driver = "";
        String pool = "";
        String device = "";
        var shareId = Optional.<String>empty();
        var conditions = new ArrayList<AllocatedDeviceStatus.Condition>();
        var data = Optional.<JsonText>empty();
        var networkData = Optional.<AllocatedDeviceStatus.NetworkData>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "driver" -> driver = json.text();
                case "pool" -> pool = json.text();
                case "device" -> device = json.text();
                case "shareID" -> shareId = Optional.of(json.text());
                case "conditions" -> json.each(() -> conditions.add(condition()));
                case "data" -> data = Optional.of(json.verbatim());
                case "networkData" -> networkData = Optional.of(networkData());
                default -> json.skip();
            }
        }
        return new AllocatedDeviceStatus(driver, pool, device, shareId, conditions, data, networkData);
    }

    private AllocatedDeviceStatus.Condition condition() throws MalformedJsonException {
        String type = "";
        String status = "";
        var generation = OptionalLong.empty();
        var since = Optional.<Instant>empty();
        String reason = "";
        String message = "";
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "type" -> type = json.text();
                case "status" -> status = json.text();
                case "observedGeneration" -> generation = generation();
                case "lastTransitionTime" -> since = Optional.of(json.time());
                case "reason" -> reason = json.text();
                case "message" -> message = json.text();
                default -> json.skip();
            }
        }
        return new AllocatedDeviceStatus.Condition(type, status, generation, since, reason, message);
    }

    /** Zero is not written, so it is not read either: equal statuses must stay equal. */
    private OptionalLong generation() throws MalformedJsonException {
        long generation = json.integer(Long.MIN_VALUE, Long.MAX_VALUE);
        return generation == 0 ? OptionalLong.empty() : OptionalLong.of(generation);
    }

    private AllocatedDeviceStatus.NetworkData networkData() throws MalformedJsonException {
        String interfaceName = "";
        List<String> ips = List.of();
        String hardwareAddress = "";
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "interfaceName" -> interfaceName = json.text();
                case "ips" -> ips = json.texts();
                case "hardwareAddress" -> hardwareAddress = json.text();
                default -> json.skip();
            }
        }
        return new AllocatedDeviceStatus.NetworkData(interfaceName, ips, hardwareAddress);
    }
}
