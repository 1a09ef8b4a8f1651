package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/**
 * Where the parts of a checkpoint stand in its bytes, found before anything in them is believed.
 *
 * @param checksum the outer checksum
 * @param v1 the V1 part
 * @param v2 the V2 part
 */
record CheckpointLayout(Checksum checksum, Optional<JsonValue> v1, Optional<V2> v2) {

    private static final Set<String> PARTS = Set.of("checksum", "v1", "v2");
    private static final byte[] BEFORE_V2 = ",\"v2\":".getBytes(US_ASCII);
    private static final long LARGEST_CHECKSUM = 0xFFFF_FFFFL;

    /**
     * A checksum in the document.
     *
     * @param value what it says
     * @param from the index of its first byte
     * @param to the index behind its last byte
     */
    record Checksum(long value, int from, int to) {}

    /**
     * The V2 part.
     *
     * @param part the part
     * @param checksum its own checksum
     */
    record V2(JsonValue part, Checksum checksum) {}

    /** The layout of the document, which has the fields of a checkpoint and no others, each once. */
    static CheckpointLayout of(byte[] document) throws MalformedJsonException {
        JsonValue json = JsonValue.outline(document, "");
        for (JsonValue field : json.fields()) {
            if (!PARTS.contains(field.name())) {
                throw field.malformed("no part of a checkpoint has that name");
            }
        }
        Optional<Checksum> checksum = once(json, "checksum", value -> checksum(value, 0));
        Optional<JsonValue> v1 = once(json, "v1", value -> value);
        Optional<V2> v2 = once(json, "v2", CheckpointLayout::v2);
        if (checksum.isEmpty() || (v1.isEmpty() && v2.isEmpty())) {
            throw new MalformedJsonException("it has no checksum, or neither a v1 nor a v2 part");
        }
        return new CheckpointLayout(checksum.get(), v1, v2);
    }

    private static <T> Optional<T> once(JsonValue json, String name, JsonValue.Reader<T> reader)
            throws MalformedJsonException {
        var found = Optional.<T>empty();
        for (JsonValue field : json.fields()) {
            if (field.name().equals(name)) {
                if (found.isPresent()) {
                    throw field.malformed("stands there twice");
                }
                found = Optional.of(reader.read(field));
            }
        }
        return found;
    }

    private static V2 v2(JsonValue part) throws MalformedJsonException {
        return new V2(
                part,
                once(JsonValue.outline(part.bytes(), "v2"), "checksum", value -> checksum(value, part.from()))
                        .orElseThrow(() -> part.malformed("it has no checksum")));
    }

    private static Checksum checksum(JsonValue json, int offset) throws MalformedJsonException {
        return new Checksum(json.integer(0, LARGEST_CHECKSUM), offset + json.from(), offset + json.to());
    }

    /** Makes sure that both checksums fit the bytes as they are. */
    void verify(byte[] document) throws MalformedJsonException {
        var outer = new DeepHash();
        if (v2.isEmpty()) {
            zeroed(outer, document, 0, checksum, document.length);
        } else {
            JsonValue cut = v2.get().part();
            int before = cut.from() - BEFORE_V2.length;
            if (before < checksum.to()
                    || !Arrays.equals(document, before, cut.from(), BEFORE_V2, 0, BEFORE_V2.length)) {
                throw new MalformedJsonException("the v2 part does not stand behind the others, in compact form");
            }
            zeroed(outer, document, 0, checksum, before).update(document, cut.to(), document.length);
            compare(
                    "the checksum of v2",
                    v2.get().checksum(),
                    zeroed(new DeepHash(), document, cut.from(), v2.get().checksum(), cut.to()));
        }
        compare("the outer checksum", checksum, outer);
    }

    /** Continues with the document from one index up to another, with 0 in the place of the checksum. */
    private static DeepHash zeroed(DeepHash hash, byte[] document, int from, Checksum checksum, int to) {
        return hash.update(document, from, checksum.from()).update("0").update(document, checksum.to(), to);
    }

    private static void compare(String what, Checksum written, DeepHash computed) throws MalformedJsonException {
        if (written.value() != computed.value()) {
            throw new MalformedJsonException(what + " is " + written.value() + ", but its content has "
                    + computed.value() + ": it is torn or bent");
        }
    }
}
