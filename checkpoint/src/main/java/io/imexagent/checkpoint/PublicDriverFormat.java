package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.imexagent.core.claim.ClaimName;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.core.claim.Quoted;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.host.json.MalformedJsonException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The checkpoint of the public driver. It is read in three steps: the positions of its parts, the checksums, and only
 * then the content of the parts. Claims are written in the order of their UIDs, which are ASCII, so in the byte order
 * of Go's maps.
 */
final class PublicDriverFormat implements CheckpointFormat {

    private static final Set<String> PARTS = Set.of("checksum", "v1", "v2");
    private static final long LARGEST_CHECKSUM = 0xFFFF_FFFFL;
    private static final byte[] BEFORE_V2 = ",\"v2\":".getBytes(US_ASCII);

    /** The beginning of both parts; their checksums are computed with 0 as its value. */
    private static final byte[] BEFORE_SUM = "{\"checksum\":".getBytes(US_ASCII);

    private static final int UNSUMMED = BEFORE_SUM.length + 1;

    @Override
    public String fileName() {
        return "checkpoint.json";
    }

    @Override
    public byte[] encode(Ledger ledger, EntryTexts facts) {
        // The status and devices of a completed claim stand in both parts; they are encoded once.
        facts.learn(ledger, PublicDriverFormat::facts);
        // A checkpoint may be large in relation to the heap, so each part is held once, as bytes.
        byte[] outer = outerWithoutV2(ledger, facts).toBytes();
        byte[] v2 = v2(ledger, facts).toBytes();
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
                .getBytes(US_ASCII);
    }

    private static String facts(ClaimEntry entry) {
        var json = new GoJson().field("status", entry.status(), ClaimStatusJson::write);
        if (entry instanceof ClaimEntry.Completed completed) {
            json.listUnlessEmpty("preparedDevices", completed.groups(), PreparedGroupsJson::write);
        }
        return json.toString();
    }

    private static GoJson outerWithoutV2(Ledger ledger, EntryTexts facts) {
        return new GoJson()
                .beginObject()
                .field("checksum", 0)
                .field(
                        "v1",
                        ledger,
                        (v1, of) -> claims(v1, of.completed(), (json, entry) -> json.literal(facts.of(entry))))
                .endObject();
    }

    private static GoJson v2(Ledger ledger, EntryTexts facts) {
        var v2 = new GoJson().beginObject().field("checksum", 0);
        claims(v2, ledger.entries().values(), (json, entry) -> {
            json.field("checkpointState", ClaimState.of(entry).wire()).literal(facts.of(entry));
            entry.name().ifPresent(name -> json.field("name", name.name()).field("namespace", name.namespace()));
            if (entry instanceof ClaimEntry.Aborted aborted) {
                json.field("abortedAt", aborted.at());
            }
        });
        ledger.bootId().ifPresent(boot -> v2.field("nodeBootID", boot.value()));
        return v2.endObject();
    }

    private static void claims(
            GoJson json, Collection<? extends ClaimEntry> claims, BiConsumer<GoJson, ClaimEntry> fields) {
        if (!claims.isEmpty()) {
            json.field(
                    "preparedClaims",
                    claims,
                    (object, entries) ->
                            entries.forEach(entry -> object.field(entry.uid().value(), entry, fields)));
        }
    }

    @Override
    public Decoded decode(byte[] document) {
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
            Ledger ledger = ClaimState.ledger(
                    JsonValue.read(part.bytes(), part.name()),
                    "preparedClaims",
                    "nodeBootID",
                    (uid, claim) -> claim(uid, claim, v2.isEmpty()));
            return new Decoded.IntactCheckpoint(ledger, v2.isEmpty());
        } catch (MalformedJsonException e) {
            return new Decoded.BrokenCheckpoint(e.reason());
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

    /** Continues the hash with the document from one index to another, with 0 in place of the checksum. */
    private static DeepHash zeroed(DeepHash hash, byte[] document, int from, Checksum checksum, int to) {
        return hash.update(document, from, checksum.from()).update("0").update(document, checksum.to(), to);
    }

    /** A checksum in the document, with the index of its first byte and the index after its last byte. */
    private record Checksum(long value, int from, int to) {

        static Checksum of(JsonValue json, int offset) throws MalformedJsonException {
            return new Checksum(json.integer(0, LARGEST_CHECKSUM), offset + json.from(), offset + json.to());
        }

        void expect(String what, DeepHash computed) throws MalformedJsonException {
            if (value != computed.value()) {
                throw new MalformedJsonException(what + " is " + value + ", but its content has " + computed.value()
                        + ": it is truncated or damaged");
            }
        }
    }

    private static ClaimEntry claim(ClaimUid uid, JsonValue json, boolean v1) throws MalformedJsonException {
        ClaimState state = v1
                ? json.field("checkpointState", ClaimState::read).orElse(ClaimState.COMPLETED)
                : json.required("checkpointState", ClaimState::read);
        return state.entry(uid, claimName(json), json, json.list("preparedDevices", PreparedGroupsJson::group));
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
