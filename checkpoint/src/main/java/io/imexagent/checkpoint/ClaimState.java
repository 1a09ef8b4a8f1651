package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedGroup;
import io.imexagent.host.json.MalformedJsonException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** A claim's {@code checkpointState}, and the decoding of entries for both formats. */
enum ClaimState {
    STARTED("PrepareStarted"),
    COMPLETED("PrepareCompleted"),
    ABORTED("PrepareAborted");

    private final String wire;

    interface EntryReader {
        ClaimEntry read(ClaimUid uid, JsonValue claim) throws MalformedJsonException;
    }

    ClaimState(String wire) {
        this.wire = wire;
    }

    String wire() {
        return wire;
    }

    static ClaimState read(JsonValue json) throws MalformedJsonException {
        String wire = json.text();
        return Arrays.stream(values())
                .filter(state -> state.wire.equals(wire))
                .findFirst()
                .orElseThrow(() -> json.malformed(
                        Quoted.of(wire) + " must be PrepareStarted, PrepareCompleted or PrepareAborted"));
    }

    static ClaimState of(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started _ -> STARTED;
            case ClaimEntry.Completed _ -> COMPLETED;
            case ClaimEntry.Aborted _ -> ABORTED;
        };
    }

    /** Decodes the entry of a claim in this state. An aborted entry without a time counts as expired. */
    ClaimEntry entry(ClaimUid uid, Optional<ClaimName> name, JsonValue json, List<PreparedGroup> groups)
            throws MalformedJsonException {
        ClaimStatus status = json.field("status", ClaimStatusJson::status)
                .orElse(new ClaimStatus(Optional.empty(), List.of(), List.of()));
        Instant abortedAt = json.field("abortedAt", JsonValue::time).orElse(Instant.EPOCH);
        return switch (this) {
            case STARTED -> new ClaimEntry.Started(uid, name, status);
            case COMPLETED -> new ClaimEntry.Completed(uid, name, status, groups);
            case ABORTED -> new ClaimEntry.Aborted(uid, name, status, abortedAt);
        };
    }

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
}
