package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Optional;

/**
 * Where the parts of a checkpoint stand in its bytes, found before anything in them is believed.
 *
 * @param checksum the outer checksum
 * @param v1 the V1 part
 * @param v2 the V2 part
 */
record CheckpointLayout(Checksum checksum, Optional<JsonCursor.Span> v1, Optional<V2> v2) {

    private static final byte[] BEFORE_V2 = ",\"v2\":".getBytes(US_ASCII);
    private static final long LARGEST_CHECKSUM = 0xFFFF_FFFFL;

    /**
     * A checksum in the document.
     *
     * @param value what it says
     * @param span where it stands
     */
    record Checksum(long value, JsonCursor.Span span) {}

    /**
     * The V2 part.
     *
     * @param span where it stands
     * @param checksum its own checksum
     */
    record V2(JsonCursor.Span span, Checksum checksum) {}

    /** The layout of the document, which has the fields of a checkpoint and no others, each once. */
    static CheckpointLayout of(byte[] document) throws MalformedJsonException {
        var checksum = Optional.<Checksum>empty();
        var v1 = Optional.<JsonCursor.Span>empty();
        var v2 = Optional.<V2>empty();
        try (var json = JsonCursor.over(document, "")) {
            json.beginObject();
            while (json.nextField()) {
                switch (json.name()) {
                    case "checksum" -> checksum = once(json, checksum, checksum(json));
                    case "v1" -> v1 = once(json, v1, json.span());
                    case "v2" -> v2 = once(json, v2, v2(json));
                    default -> throw json.malformed("no part of a checkpoint has that name");
                }
            }
            json.endDocument();
        }
        if (checksum.isEmpty() || (v1.isEmpty() && v2.isEmpty())) {
            throw new MalformedJsonException("it has no checksum, or neither a v1 nor a v2 part");
        }
        return new CheckpointLayout(checksum.get(), v1, v2);
    }

    private static <T> Optional<T> once(JsonCursor json, Optional<T> earlier, T found) throws MalformedJsonException {
        if (earlier.isPresent()) {
            throw json.malformed("stands there twice");
        }
        return Optional.of(found);
    }

    private static V2 v2(JsonCursor json) throws MalformedJsonException {
        int from = json.offset();
        var checksum = Optional.<Checksum>empty();
        json.beginObject();
        while (json.nextField()) {
            switch (json.name()) {
                case "checksum" -> checksum = once(json, checksum, checksum(json));
                default -> json.skip();
            }
        }
        if (checksum.isEmpty()) {
            throw json.malformed("it has no checksum");
        }
        return new V2(new JsonCursor.Span(from, json.endOffset()), checksum.get());
    }

    private static Checksum checksum(JsonCursor json) throws MalformedJsonException {
        long value = json.integer(0, LARGEST_CHECKSUM);
        return new Checksum(value, json.span());
    }

    /** Makes sure that both checksums fit the bytes as they are. */
    void verify(byte[] document) throws MalformedJsonException {
        var outer = new DeepHash();
        JsonCursor.Span zeroed = checksum.span();
        if (v2.isEmpty()) {
            outer.update(document, 0, zeroed.from()).update("0").update(document, zeroed.to(), document.length);
        } else {
            JsonCursor.Span cut = v2.get().span();
            int before = cut.from() - BEFORE_V2.length;
            if (before < zeroed.to() || !Arrays.equals(document, before, cut.from(), BEFORE_V2, 0, BEFORE_V2.length)) {
                throw new MalformedJsonException("the v2 part does not stand behind the others, in compact form");
            }
            outer.update(document, 0, zeroed.from())
                    .update("0")
                    .update(document, zeroed.to(), before)
                    .update(document, cut.to(), document.length);
            verify(v2.get(), document);
        }
        compare("the outer checksum", checksum.value(), outer.value());
    }

    private static void verify(V2 part, byte[] document) throws MalformedJsonException {
        JsonCursor.Span zeroed = part.checksum().span();
        var hash = new DeepHash()
                .update(document, part.span().from(), zeroed.from())
                .update("0")
                .update(document, zeroed.to(), part.span().to());
        compare("the checksum of v2", part.checksum().value(), hash.value());
    }

    private static void compare(String what, long written, long computed) throws MalformedJsonException {
        if (written != computed) {
            throw new MalformedJsonException(
                    what + " is " + written + ", but its content has " + computed + ": it is torn or bent");
        }
    }
}
