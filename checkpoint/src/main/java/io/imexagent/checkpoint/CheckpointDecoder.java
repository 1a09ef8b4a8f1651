package io.imexagent.checkpoint;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimStatus;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.ledger.PreparedGroup;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads checkpoints: first the layout, then the checksums, and only then what stands there. */
final class CheckpointDecoder {

    private final JsonCursor json;
    private final boolean v1;

    private CheckpointDecoder(JsonCursor json, boolean v1) {
        this.json = json;
        this.v1 = v1;
    }

    static CheckpointCodec.Decoded decode(byte[] document) {
        try {
            CheckpointLayout layout = CheckpointLayout.of(document);
            layout.verify(document);
            boolean v1 = layout.v2().isEmpty();
            JsonCursor.Span part =
                    layout.v2().map(CheckpointLayout.V2::span).or(layout::v1).orElseThrow();
            byte[] content = Arrays.copyOfRange(document, part.from(), part.to());
            try (var json = JsonCursor.over(content, v1 ? "v1" : "v2")) {
                return new CheckpointCodec.Decoded.Intact(new CheckpointDecoder(json, v1).ledger(), v1);
            }
        } catch (MalformedJsonException e) {
            return new CheckpointCodec.Decoded.Broken(e.reason());
        }
    }

    private Ledger ledger() throws MalformedJsonException {
        var entries = new TreeMap<ClaimUid, ClaimEntry>();
        var bootId = Optional.<BootId>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "preparedClaims" -> claims(entries);
                case "nodeBootID" ->
                    bootId =
                            Optional.of(json.text()).filter(id -> !id.isBlank()).map(BootId::new);
                default -> json.skip();
            }
        }
        return new Ledger(entries, bootId);
    }

    private void claims(Map<ClaimUid, ClaimEntry> entries) throws MalformedJsonException {
        json.beginObject();
        while (json.nextField()) {
            ClaimUid uid = ClaimUid.parse(json.name()).orElseThrow(() -> json.malformed("that is no claim's UID"));
            if (entries.putIfAbsent(uid, claim(uid)) != null) {
                throw json.malformed("stands there twice");
            }
        }
    }

    private ClaimEntry claim(ClaimUid uid) throws MalformedJsonException {
        ClaimState state = ClaimState.COMPLETED;
        boolean stated = v1;
        var status = new ClaimStatus(Optional.empty(), List.of(), List.of());
        List<PreparedGroup> groups = List.of();
        String name = "";
        String namespace = "";
        Instant abortedAt = Instant.EPOCH;
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "checkpointState" -> {
                    state = ClaimState.read(json);
                    stated = true;
                }
                case "status" -> status = new ClaimStatusReader(json).status();
                case "preparedDevices" -> groups = PreparedGroupsJson.read(json);
                case "name" -> name = json.text();
                case "namespace" -> namespace = json.text();
                case "abortedAt" -> abortedAt = json.time();
                default -> json.skip();
            }
        }
        if (!stated) {
            throw json.malformed("field \"checkpointState\" is missing");
        }
        return entry(state, uid, claimName(namespace, name), status, groups, abortedAt);
    }

    /** An aborted entry of which nobody knows when counts as long over. */
    private static ClaimEntry entry(
            ClaimState state,
            ClaimUid uid,
            Optional<ClaimName> name,
            ClaimStatus status,
            List<PreparedGroup> groups,
            Instant abortedAt) {
        return switch (state) {
            case STARTED -> new ClaimEntry.Started(uid, name, status);
            case COMPLETED -> new ClaimEntry.Completed(uid, name, status, groups);
            case ABORTED -> new ClaimEntry.Aborted(uid, name, status, abortedAt);
        };
    }

    private Optional<ClaimName> claimName(String namespace, String name) throws MalformedJsonException {
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
