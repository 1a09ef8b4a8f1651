package io.imexagent.checkpoint;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.util.List;
import java.util.Optional;

/** The {@code preparedDevices} of a claim. Every device has a channel and a daemon field, of which one is null. */
final class PreparedGroupsJson {

    private static final String DAEMON = "daemon-";

    private PreparedGroupsJson() {}

    static void write(GoJson json, List<PreparedGroup> groups) {
        json.beginArray();
        for (PreparedGroup group : groups) {
            json.beginObject().name("devices").beginArray();
            group.devices().forEach(device -> write(json, device));
            json.endArray()
                    .name("configState")
                    .beginObject()
                    .field("Type", group.type())
                    .field("ComputeDomain", group.computeDomain())
                    .endObject()
                    .endObject();
        }
        json.endArray();
    }

    private static void write(GoJson json, PreparedDevice device) {
        json.beginObject();
        switch (device) {
            case PreparedDevice.Channel channel -> {
                write(json.name("channel"), channel.id().number(), channel.handed());
                json.name("daemon").literal("null");
            }
            case PreparedDevice.Daemon daemon -> {
                json.name("channel").literal("null");
                write(json.name("daemon"), daemonNumber(daemon), daemon.handed());
            }
            case PreparedDevice.Plain plain ->
                throw new IllegalArgumentException("the public driver's checkpoint has no place for "
                        + plain.handed().device());
        }
        json.endObject();
    }

    private static void write(GoJson json, int id, PreparedDevice.Handed handed) {
        json.beginObject()
                .name("info")
                .beginObject()
                .field("id", id)
                .endObject()
                .name("device");
        handed(json, handed);
        json.endObject();
    }

    /** The public driver names its daemons {@code daemon-<id>}, and has one, number 0, on each node. */
    private static int daemonNumber(PreparedDevice.Daemon daemon) {
        String name = daemon.handed().device();
        String digits = name.startsWith(DAEMON) ? name.substring(DAEMON.length()) : "";
        return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0;
    }

    /** One of the groups. */
    static PreparedGroup group(JsonValue json) throws MalformedJsonException {
        List<PreparedDevice> devices = json.list("devices", PreparedGroupsJson::device);
        Optional<JsonValue> state = json.field("configState", value -> value);
        return state.isPresent()
                ? new PreparedGroup(
                        devices, state.get().text("Type"), state.get().text("ComputeDomain"))
                : PreparedGroup.plain(devices);
    }

    private static PreparedDevice device(JsonValue json) throws MalformedJsonException {
        Optional<PreparedDevice> channel = json.field("channel", PreparedGroupsJson::channel);
        Optional<PreparedDevice> daemon = json.field("daemon", value -> new PreparedDevice.Daemon(handedOf(value)));
        if (channel.isPresent() == daemon.isPresent()) {
            throw json.malformed("must hold either a channel or a daemon");
        }
        return channel.or(() -> daemon).orElseThrow();
    }

    private static PreparedDevice channel(JsonValue json) throws MalformedJsonException {
        Optional<JsonValue> info = json.field("info", value -> value);
        long id = info.isPresent()
                ? info.get()
                        .field("id", value -> value.integer(0, ChannelId.LARGEST))
                        .orElse(0L)
                : 0;
        return new PreparedDevice.Channel(new ChannelId((int) id), handedOf(json));
    }

    private static PreparedDevice.Handed handedOf(JsonValue json) throws MalformedJsonException {
        return json.field("device", PreparedGroupsJson::handed)
                .orElseGet(() -> new PreparedDevice.Handed(List.of(), "", "", List.of(), Optional.empty()));
    }

    /** What the kubelet was told of a device, with the field names of the public driver. */
    static PreparedDevice.Handed handed(JsonValue json) throws MalformedJsonException {
        return new PreparedDevice.Handed(
                json.texts("Requests"),
                json.text("PoolName"),
                json.text("DeviceName"),
                json.texts("CDIDeviceIDs"),
                json.field("ShareID", JsonValue::text));
    }

    static void handed(GoJson json, PreparedDevice.Handed handed) {
        json.beginObject()
                .field("Requests", handed.requests())
                .field("PoolName", handed.pool())
                .field("DeviceName", handed.device())
                .field("CDIDeviceIDs", handed.cdiDeviceIds());
        handed.shareId().ifPresent(share -> json.field("ShareID", share));
        json.endObject();
    }
}
