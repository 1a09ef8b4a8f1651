package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Reads checkpoints: first the layout, then the checksums, and only then what stands there. */
final class CheckpointDecoder {

    private CheckpointDecoder() {}

    static CheckpointFormat.Decoded decode(byte[] document) {
        try {
            CheckpointLayout layout = CheckpointLayout.of(document);
            layout.verify(document);
            boolean v1 = layout.v2().isEmpty();
            JsonValue part =
                    layout.v2().map(CheckpointLayout.V2::part).or(layout::v1).orElseThrow();
            Ledger ledger = ledger(
                    JsonValue.read(part.bytes(), part.name()),
                    "preparedClaims",
                    "nodeBootID",
                    (uid, claim) -> claim(uid, claim, v1));
            return new CheckpointFormat.Decoded.Intact(ledger, v1);
        } catch (MalformedJsonException e) {
            return new CheckpointFormat.Decoded.Broken(e.reason());
        }
    }

    /** Reads what stands of a claim. */
    interface EntryReader {
        ClaimEntry read(ClaimUid uid, JsonValue claim) throws MalformedJsonException;
    }

    /** The ledger whose claims and whose boot stand in these fields. */
    static Ledger ledger(JsonValue json, String claims, String bootId, EntryReader reader)
            throws MalformedJsonException {
        var entries = new TreeMap<ClaimUid, ClaimEntry>();
        for (JsonValue claim : json.field(claims, JsonValue::fields).orElse(List.of())) {
            ClaimUid uid = ClaimUid.parse(claim.name()).orElseThrow(() -> claim.malformed("that is no claim's UID"));
            if (entries.putIfAbsent(uid, reader.read(uid, claim)) != null) {
                throw claim.malformed("stands there twice");
            }
        }
        return new Ledger(
                entries,
                json.field(bootId, JsonValue::text).filter(id -> !id.isBlank()).map(BootId::new));
    }

    private static ClaimEntry claim(ClaimUid uid, JsonValue json, boolean v1) throws MalformedJsonException {
        return json.field("checkpointState", ClaimState::read)
                .or(() -> v1 ? Optional.of(ClaimState.COMPLETED) : Optional.empty())
                .orElseThrow(() -> json.malformed("field \"checkpointState\" is missing"))
                .entry(uid, claimName(json), json, json.list("preparedDevices", PreparedGroupsJson::group));
    }

    private static Optional<ClaimName> claimName(JsonValue json) throws MalformedJsonException {
        String namespace = json.text("namespace");
        String name = json.text("name");
        if (namespace.isEmpty() || name.isEmpty()) {
            return Optional.empty();
        }
        Optional<ClaimName> parsed = ClaimName.parse(namespace, name);
        if (parsed.isEmpty()) {
            throw json.malformed(Quoted.of(namespace) + "/" + Quoted.of(name) + " is no name of a claim");
        }
        return parsed;
    }
}
