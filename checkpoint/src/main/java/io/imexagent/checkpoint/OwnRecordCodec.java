package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The content of a record of prepared claims that is the agent's own. Pure.
 *
 * <p>One line that says what it is, {@code <magic> 1 <SHA-256 of the rest in hexadecimal>}, and then a JSON
 * object with the boot's ID and the claims, each with its state, its status as the API server gave it, and its devices.
 * The checksum is over the bytes as they stand, so that fields of newer agents do no harm; a file of another version is
 * not understood, and is not written over.
 */
final class OwnRecordCodec {

    private static final String VERSION = "1";
    private static final int HEX_DIGITS = 64;

    private final String magic;
    private final int longestLine;

    /** A codec of records that begin with this word. */
    OwnRecordCodec(String magic) {
        this.magic = magic;
        this.longestLine = magic.length() + 1 + 10 + 1 + HEX_DIGITS;
    }

    byte[] encode(Ledger ledger) {
        var json = new GoJson().beginObject();
        ledger.bootId().ifPresent(boot -> json.field("bootId", boot.value()));
        json.name("claims").beginObject();
        ledger.entries().values().forEach(entry -> write(json, entry));
        byte[] content = json.endObject().endObject().toBytes();
        return (magic + " " + VERSION + " " + checksum(content) + "\n" + json).getBytes(UTF_8);
    }

    private static void write(GoJson json, ClaimEntry entry) {
        json.name(entry.uid().value())
                .beginObject()
                .field("state", ClaimState.of(entry).wire());
        entry.name().ifPresent(name -> json.field("namespace", name.namespace()).field("name", name.name()));
        switch (entry) {
            case ClaimEntry.Started started -> {}
            case ClaimEntry.Aborted aborted -> json.field("abortedAt", ClaimStatusWriter.time(aborted.at()));
            case ClaimEntry.Completed completed -> {
                json.name("devices").beginArray();
                completed.devices().forEach(device -> PreparedGroupsJson.handed(json, plain(device)));
                json.endArray();
            }
        }
        ClaimStatusWriter.write(json.name("status"), entry.status());
        json.endObject();
    }

    private static PreparedDevice.Handed plain(PreparedDevice device) {
        return switch (device) {
            case PreparedDevice.Plain plain -> plain.handed();
            case PreparedDevice.Channel _, PreparedDevice.Daemon _ ->
                throw new IllegalArgumentException(
                        "this record has no place for " + device.handed().device());
        };
    }

    CheckpointFormat.Decoded decode(byte[] content) {
        try {
            JsonValue json = JsonValue.read(verified(content), "");
            return new CheckpointFormat.Decoded.Intact(
                    CheckpointDecoder.ledger(json, "claims", "bootId", OwnRecordCodec::claim), false);
        } catch (MalformedJsonException e) {
            return new CheckpointFormat.Decoded.Broken(e.reason());
        }
    }

    private byte[] verified(byte[] content) throws MalformedJsonException {
        int end = 0;
        while (end < content.length && end <= longestLine && content[end] != '\n') {
            end++;
        }
        String[] line = new String(content, 0, end, US_ASCII).split(" ", -1);
        if (end == content.length || line.length != 3 || !line[0].equals(magic)) {
            throw new MalformedJsonException("it does not begin with \"" + magic + " " + VERSION + " <checksum>\"");
        }
        if (!line[1].equals(VERSION)) {
            throw new MalformedJsonException("it has version " + Quoted.of(line[1]) + ", this agent knows " + VERSION
                    + "; an agent that is newer wrote it, go back to that one");
        }
        byte[] body = Arrays.copyOfRange(content, end + 1, content.length);
        if (!line[2].equals(checksum(body))) {
            throw new MalformedJsonException("its checksum does not fit its content");
        }
        return body;
    }

    private static String checksum(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private static ClaimEntry claim(ClaimUid uid, JsonValue json) throws MalformedJsonException {
        List<PreparedDevice> devices =
                json.list("devices", device -> new PreparedDevice.Plain(PreparedGroupsJson.handed(device)));
        return json.field("state", ClaimState::read)
                .orElseThrow(() -> json.malformed("field \"state\" is missing"))
                .entry(
                        uid,
                        ClaimName.parse(json.text("namespace"), json.text("name")),
                        json,
                        List.of(PreparedGroup.plain(devices)));
    }
}
