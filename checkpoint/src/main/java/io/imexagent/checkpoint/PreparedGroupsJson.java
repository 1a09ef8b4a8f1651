package io.imexagent.checkpoint;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.host.json.MalformedJsonException;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes the {@code preparedDevices} of a claim. Every device has a channel and a daemon field, one of which
 * is null.
 */
final class PreparedGroupsJson {

    private static final String DAEMON = "daemon-";

    private PreparedGroupsJson() {}

    static void write(GoJson json, PreparedGroup group) {
        json.list("devices", group.devices(), PreparedGroupsJson::write)
                .field(
                        "configState",
                        group,
                        (state, of) -> state.field("Type", of.type()).field("ComputeDomain", of.computeDomain()));
    }

    private static void write(GoJson json, PreparedDevice device) {
        switch (device) {
            case PreparedDevice.Channel(ChannelId id, PreparedDevice.ReturnedDevice handed) ->
                write(json, "channel", id.number(), handed).name("daemon").literal("null");
            case PreparedDevice.Daemon(PreparedDevice.ReturnedDevice handed) ->
                write(json.name("channel").literal("null"), "daemon", daemonNumber(handed.device()), handed);
            case PreparedDevice.Plain(PreparedDevice.ReturnedDevice handed) ->
                throw new IllegalArgumentException(
                        "the public driver's checkpoint has no place for " + handed.device());
        }
    }

    private static GoJson write(GoJson json, String name, int number, PreparedDevice.ReturnedDevice handed) {
        return json.field(
                name,
                handed,
                (fields, of) -> fields.field("info", number, (info, id) -> info.field("id", id))
                        .field("device", of, PreparedGroupsJson::handed));
    }

    /**
     * The number in the name of a daemon's device, {@code daemon-<id>}; the public driver has one daemon, 0, on each
     * node.
     */
    private static int daemonNumber(String device) {
        String digits = device.startsWith(DAEMON) ? device.substring(DAEMON.length()) : "";
        return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0;
    }

    static PreparedGroup group(JsonValue json) throws MalformedJsonException {
        List<PreparedDevice> devices = json.list("devices", PreparedGroupsJson::device);
        return json.field(
                        "configState",
                        state -> new PreparedGroup(devices, state.text("Type"), state.text("ComputeDomain")))
                .orElseGet(() -> PreparedGroup.plain(devices));
    }

    private static PreparedDevice device(JsonValue json) throws MalformedJsonException {
        Optional<PreparedDevice> channel = json.field(
                "channel", value -> new PreparedDevice.Channel(new ChannelId((int) number(value)), handedOf(value)));
        Optional<PreparedDevice> daemon = json.field("daemon", value -> new PreparedDevice.Daemon(handedOf(value)));
        if (channel.isPresent() == daemon.isPresent()) {
            throw json.malformed("must hold either a channel or a daemon");
        }
        return channel.or(() -> daemon).orElseThrow();
    }

    private static long number(JsonValue channel) throws MalformedJsonException {
        return channel.field("info", info -> info.field("id", id -> id.integer(0, ChannelId.LARGEST)))
                .flatMap(id -> id)
                .orElse(0L);
    }

    private static PreparedDevice.ReturnedDevice handedOf(JsonValue json) throws MalformedJsonException {
        return json.field("device", PreparedGroupsJson::handed)
                .orElseGet(() -> new PreparedDevice.ReturnedDevice(List.of(), "", "", List.of(), Optional.empty()));
    }

    /** Reads a device that was returned to the kubelet, with the field names of the public driver. */
    static PreparedDevice.ReturnedDevice handed(JsonValue json) throws MalformedJsonException {
        return new PreparedDevice.ReturnedDevice(
                json.texts("Requests"),
                json.text("PoolName"),
                json.text("DeviceName"),
                json.texts("CDIDeviceIDs"),
                json.field("ShareID", JsonValue::text));
    }

    static void handed(GoJson json, PreparedDevice.ReturnedDevice handed) {
        json.field("Requests", handed.requests())
                .field("PoolName", handed.pool())
                .field("DeviceName", handed.device())
                .field("CDIDeviceIDs", handed.cdiDeviceIds());
        handed.shareId().ifPresent(share -> json.field("ShareID", share));
    }
}
