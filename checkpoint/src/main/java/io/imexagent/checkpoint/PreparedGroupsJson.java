package io.imexagent.checkpoint;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.util.ArrayList;
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
        HandedJson.write(json, handed);
        json.endObject();
    }

    /** The public driver names its daemons {@code daemon-<id>}, and has one, number 0, on each node. */
    private static int daemonNumber(PreparedDevice.Daemon daemon) {
        String name = daemon.handed().device();
        String digits = name.startsWith(DAEMON) ? name.substring(DAEMON.length()) : "";
        return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : 0;
    }

    static List<PreparedGroup> read(JsonCursor json) throws MalformedJsonException {
        var groups = new ArrayList<PreparedGroup>();
        json.each(() -> groups.add(group(json)));
        return groups;
    }

    private static PreparedGroup group(JsonCursor json) throws MalformedJsonException {
        var devices = new ArrayList<PreparedDevice>();
        var state = new ConfigState("", "");
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "devices" -> json.each(() -> devices.add(device(json)));
                case "configState" -> state = configState(json);
                default -> json.skip();
            }
        }
        return new PreparedGroup(devices, state.type(), state.computeDomain());
    }

    private static ConfigState configState(JsonCursor json) throws MalformedJsonException {
        String type = "";
        String computeDomain = "";
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "Type" -> type = json.text();
                case "ComputeDomain" -> computeDomain = json.text();
                default -> json.skip();
            }
        }
        return new ConfigState(type, computeDomain);
    }

    private static PreparedDevice device(JsonCursor json) throws MalformedJsonException {
        var found = new ArrayList<PreparedDevice>();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "channel" -> found.add(numbered(json).channel());
                case "daemon" ->
                    found.add(new PreparedDevice.Daemon(numbered(json).handed()));
                default -> json.skip();
            }
        }
        if (found.size() != 1) {
            throw json.malformed("must hold either a channel or a daemon");
        }
        return found.getFirst();
    }

    private static Numbered numbered(JsonCursor json) throws MalformedJsonException {
        int id = 0;
        var handed = new PreparedDevice.Handed(List.of(), "", "", List.of(), Optional.empty());
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "info" -> id = id(json);
                case "device" -> handed = HandedJson.read(json);
                default -> json.skip();
            }
        }
        return new Numbered(id, handed);
    }

    private static int id(JsonCursor json) throws MalformedJsonException {
        int id = 0;
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "id" -> id = (int) json.integer(0, ChannelId.LARGEST);
                default -> json.skip();
            }
        }
        return id;
    }

    private record ConfigState(String type, String computeDomain) {}

    private record Numbered(int id, PreparedDevice.Handed handed) {
        PreparedDevice channel() {
            return new PreparedDevice.Channel(new ChannelId(id), handed);
        }
    }
}
