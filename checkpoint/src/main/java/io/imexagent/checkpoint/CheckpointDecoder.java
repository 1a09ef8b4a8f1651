package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Reads checkpoints: first where the parts stand in the bytes, then the checksums, and only then what the parts hold.
 */
final class CheckpointDecoder {

    private static final Set<String> PARTS = Set.of("checksum", "v1", "v2");
    private static final byte[] BEFORE_V2 = ",\"v2\":".getBytes(US_ASCII);
    private static final long LARGEST_CHECKSUM = 0xFFFF_FFFFL;

    private CheckpointDecoder() {}

    static CheckpointFormat.Decoded decode(byte[] document) {
        try {
            JsonValue json = JsonValue.outline(document, "");
            for (JsonValue field : json.fields()) {
                if (!PARTS.contains(field.name())) {
                    throw field.malformed("no part of a checkpoint has that name");
                }
            }
            Optional<JsonValue> checksum = once(json, "checksum");
            Optional<JsonValue> v1 = once(json, "v1");
            Optional<JsonValue> v2 = once(json, "v2");
            if (checksum.isEmpty() || (v1.isEmpty() && v2.isEmpty())) {
                throw new MalformedJsonException("it has no checksum, or neither a v1 nor a v2 part");
            }
            verify(document, Checksum.of(checksum.get(), 0), v2);
            JsonValue part = v2.or(() -> v1).orElseThrow();
            Ledger ledger = ledger(
                    JsonValue.read(part.bytes(), part.name()),
                    "preparedClaims",
                    "nodeBootID",
                    (uid, claim) -> claim(uid, claim, v2.isEmpty()));
            return new CheckpointFormat.Decoded.Intact(ledger, v2.isEmpty());
        } catch (MalformedJsonException e) {
            return new CheckpointFormat.Decoded.Broken(e.reason());
        }
    }

    private static Optional<JsonValue> once(JsonValue json, String name) throws MalformedJsonException {
        var found = Optional.<JsonValue>empty();
        for (JsonValue field : json.fields()) {
            if (field.name().equals(name)) {
                if (found.isPresent()) {
                    throw field.malformed("stands there twice");
                }
                found = Optional.of(field);
            }
        }
        return found;
    }

    /** Makes sure that both checksums fit the bytes as they are. */
    private static void verify(byte[] document, Checksum checksum, Optional<JsonValue> v2)
            throws MalformedJsonException {
        var outer = new DeepHash();
        if (v2.isEmpty()) {
            zeroed(outer, document, 0, checksum, document.length);
        } else {
            JsonValue part = v2.get();
            int before = part.from() - BEFORE_V2.length;
            if (before < checksum.to()
                    || !Arrays.equals(document, before, part.from(), BEFORE_V2, 0, BEFORE_V2.length)) {
                throw new MalformedJsonException("the v2 part does not stand behind the others, in compact form");
            }
            zeroed(outer, document, 0, checksum, before).update(document, part.to(), document.length);
            Checksum own = Checksum.of(
                    once(JsonValue.outline(part.bytes(), "v2"), "checksum")
                            .orElseThrow(() -> part.malformed("it has no checksum")),
                    part.from());
            own.expect("the checksum of v2", zeroed(new DeepHash(), document, part.from(), own, part.to()));
        }
        checksum.expect("the outer checksum", outer);
    }

    /** Continues with the document from one index up to another, with 0 in the place of the checksum. */
    private static DeepHash zeroed(DeepHash hash, byte[] document, int from, Checksum checksum, int to) {
        return hash.update(document, from, checksum.from()).update("0").update(document, checksum.to(), to);
    }

    /**
     * A checksum in the document.
     *
     * @param value what it says
     * @param from the index of its first byte
     * @param to the index behind its last byte
     */
    private record Checksum(long value, int from, int to) {

        static Checksum of(JsonValue json, int offset) throws MalformedJsonException {
            return new Checksum(json.integer(0, LARGEST_CHECKSUM), offset + json.from(), offset + json.to());
        }

        void expect(String what, DeepHash computed) throws MalformedJsonException {
            if (value != computed.value()) {
                throw new MalformedJsonException(what + " is " + value + ", but its content has " + computed.value()
                        + ": it is truncated or" + " damaged");
            }
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
