package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Writes checkpoints. Claims stand in the order of their UIDs, which are ASCII, so that is the byte order in which Go
 * sorts the keys of a map.
 */
final class CheckpointEncoder {

    /** How both parts begin; while their checksums are computed, a 0 follows. */
    private static final byte[] BEFORE_SUM = "{\"checksum\":".getBytes(UTF_8);

    private static final int UNSUMMED = BEFORE_SUM.length + 1;
    private static final byte[] BEFORE_V2 = ",\"v2\":".getBytes(UTF_8);

    private final Ledger ledger;
    /** Status and devices of a claim, which stand in both parts where it is completed; they are put into words once. */
    private final Map<ClaimUid, String> facts = new HashMap<>();

    private CheckpointEncoder(Ledger ledger) {
        this.ledger = ledger;
        ledger.entries().values().forEach(entry -> facts.put(entry.uid(), facts(entry)));
    }

    static byte[] encode(Ledger ledger) {
        var encoder = new CheckpointEncoder(ledger);
        // A checkpoint may be large beside the heap: each part is held once, as bytes.
        byte[] outer = encoder.outerWithoutV2().toBytes();
        byte[] v2 = encoder.v2().toBytes();
        byte[] outerSum = checksum(outer);
        byte[] v2Sum = checksum(v2);
        int digits = outerSum.length + v2Sum.length - 2;
        return ByteBuffer.allocate(outer.length + BEFORE_V2.length + v2.length + digits)
                .put(BEFORE_SUM)
                .put(outerSum)
                .put(outer, UNSUMMED, outer.length - 1 - UNSUMMED)
                .put(BEFORE_V2)
                .put(BEFORE_SUM)
                .put(v2Sum)
                .put(v2, UNSUMMED, v2.length - UNSUMMED)
                .put(outer, outer.length - 1, 1)
                .array();
    }

    private static byte[] checksum(byte[] part) {
        return Long.toString(new DeepHash().update(part, 0, part.length).value())
                .getBytes(UTF_8);
    }

    private static String facts(ClaimEntry entry) {
        var json = new GoJson().name("status");
        ClaimStatusWriter.write(json, entry.status());
        if (entry instanceof ClaimEntry.Completed completed
                && !completed.groups().isEmpty()) {
            PreparedGroupsJson.write(json.name("preparedDevices"), completed.groups());
        }
        return json.toString();
    }

    private GoJson outerWithoutV2() {
        var json = new GoJson().beginObject().field("checksum", 0).name("v1").beginObject();
        List<ClaimEntry.Completed> completed = ledger.completed();
        if (!completed.isEmpty()) {
            json.name("preparedClaims").beginObject();
            for (ClaimEntry.Completed entry : completed) {
                json.name(entry.uid().value()).beginObject();
                repeatFacts(json, entry);
                json.endObject();
            }
            json.endObject();
        }
        return json.endObject().endObject();
    }

    private GoJson v2() {
        var json = new GoJson().beginObject().field("checksum", 0);
        if (!ledger.entries().isEmpty()) {
            json.name("preparedClaims").beginObject();
            ledger.entries().values().forEach(entry -> claim(json, entry));
            json.endObject();
        }
        ledger.bootId().ifPresent(boot -> json.field("nodeBootID", boot.value()));
        return json.endObject();
    }

    private void claim(GoJson json, ClaimEntry entry) {
        json.name(entry.uid().value())
                .beginObject()
                .field("checkpointState", ClaimState.of(entry).wire());
        repeatFacts(json, entry);
        entry.name().ifPresent(name -> json.field("name", name.name()).field("namespace", name.namespace()));
        if (entry instanceof ClaimEntry.Aborted aborted) {
            json.field("abortedAt", ClaimStatusWriter.time(aborted.at()));
        }
        json.endObject();
    }

    private void repeatFacts(GoJson json, ClaimEntry entry) {
        json.repeat(Objects.requireNonNull(facts.get(entry.uid()), "every entry has facts"));
    }
}
