package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.claim.Sha256;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.host.json.MalformedJsonException;
import java.util.Arrays;
import java.util.List;

/**
 * The agent's own record of prepared claims: one line {@code <magic> 1 <SHA-256 of the rest in hexadecimal>}, then a
 * JSON object with the boot's ID and the claims with state, status and devices. Pure. The checksum covers the raw
 * bytes, so that fields of newer agents do no harm. A file of another version is neither read nor overwritten.
 */
record OwnRecordFormat(String fileName, String magic) implements CheckpointFormat {

    private static final String VERSION = "1";
    private static final int HEX_DIGITS = 64;

    @Override
    public byte[] encode(Ledger ledger, EntryTexts texts) {
        texts.learn(ledger, OwnRecordFormat::text);
        var json = new GoJson().beginObject();
        ledger.bootId().ifPresent(boot -> json.field("bootId", boot.value()));
        json.field(
                        "claims",
                        ledger.entries().values(),
                        (claims, entries) -> entries.forEach(entry ->
                                claims.field(entry.uid().value(), entry, (fields, of) -> fields.literal(texts.of(of)))))
                .endObject();
        return (magic + " " + VERSION + " " + Sha256.hex(json.toBytes()) + "\n" + json).getBytes(UTF_8);
    }

    private static String text(ClaimEntry entry) {
        var json = new GoJson();
        json.field("state", ClaimState.of(entry).wire());
        entry.name().ifPresent(name -> json.field("namespace", name.namespace()).field("name", name.name()));
        switch (entry) {
            case ClaimEntry.Started _ -> {}
            case ClaimEntry.Aborted aborted -> json.field("abortedAt", aborted.at());
            case ClaimEntry.Completed completed -> json.list("devices", completed.devices(), OwnRecordFormat::write);
        }
        return json.field("status", entry.status(), ClaimStatusJson::write).toString();
    }

    private static void write(GoJson json, PreparedDevice device) {
        if (!(device instanceof PreparedDevice.Plain)) {
            throw new IllegalArgumentException(
                    "this record has no place for " + device.returned().device());
        }
        PreparedGroupsJson.handed(json, device.returned());
    }

    @Override
    public Decoded decode(byte[] content) {
        try {
            JsonValue json = JsonValue.read(verified(content), "");
            return new Decoded.IntactCheckpoint(
                    ClaimState.ledger(json, "claims", "bootId", OwnRecordFormat::claim), false);
        } catch (MalformedJsonException e) {
            return new Decoded.BrokenCheckpoint(e.reason());
        }
    }

    private byte[] verified(byte[] content) throws MalformedJsonException {
        int longestLine = magic.length() + 1 + 10 + 1 + HEX_DIGITS;
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
        if (!line[2].equals(Sha256.hex(body))) {
            throw new MalformedJsonException("its checksum does not fit its content");
        }
        return body;
    }

    private static ClaimEntry claim(ClaimUid uid, JsonValue json) throws MalformedJsonException {
        List<PreparedDevice> devices =
                json.list("devices", device -> new PreparedDevice.Plain(PreparedGroupsJson.handed(device)));
        return json.required("state", ClaimState::read)
                .entry(
                        uid,
                        ClaimName.parse(json.text("namespace"), json.text("name")),
                        json,
                        List.of(PreparedGroup.plain(devices)));
    }
}
