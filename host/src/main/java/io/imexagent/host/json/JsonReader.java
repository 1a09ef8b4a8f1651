package io.imexagent.host.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.io.IOException;

/**
 * Reads foreign JSON in UTF-8, token by token and within bounds. All parsers of JSON are opened here. Answers of the
 * API server, which may be larger than memory, pass a scanner of their own first.
 */
public final class JsonReader {

    /** A reader for the output of host programs: 16 MiB (their runner has a tighter limit), 32 levels. */
    public static final JsonReader OF_PROGRAMS = new JsonReader(16 << 20, 32);

    /** The number of path steps in a message about values that are nested too deeply. */
    private static final int NAMED = 7;

    private final JsonFactory factory;
    private final int longest;
    private final int deepest;

    /**
     * A reader with limits in bytes and levels of nesting, and with these features besides Jackson's defaults. Names of
     * more than 50,000 characters and numbers of more than 1,000 are always refused.
     */
    public JsonReader(int longest, int deepest, StreamReadFeature... features) {
        var builder = new JsonFactoryBuilder()
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .streamReadConstraints(
                        StreamReadConstraints.builder().maxNestingDepth(deepest).build());
        for (StreamReadFeature feature : features) {
            builder.enable(feature);
        }
        this.factory = builder.build();
        this.longest = longest;
        this.deepest = deepest;
    }

    /** Converts a value. The parser is on the first token of the value, and must be on its last token afterwards. */
    @FunctionalInterface
    public interface Content<T, E extends Exception> {
        T read(JsonParser parser) throws IOException, E;
    }

    /**
     * Converts the only value of the text. {@code root} names the value in messages, and may be empty. Throws a {@link
     * MalformedJsonException} with the place if the text exceeds the bounds, is not JSON, or continues after the value.
     */
    public <T, E extends Exception> T whole(byte[] json, String root, Content<T, E> content)
            throws MalformedJsonException, E {
        return read(json, root, content, true);
    }

    /** Converts the first value of the text; what follows it is not read. */
    public <T, E extends Exception> T first(byte[] json, String root, Content<T, E> content)
            throws MalformedJsonException, E {
        return read(json, root, content, false);
    }

    private <T, E extends Exception> T read(byte[] json, String root, Content<T, E> content, boolean whole)
            throws MalformedJsonException, E {
        if (json.length > longest) {
            throw MalformedJsonException.at(root, "is longer than " + longest + " bytes");
        }
        try (JsonParser parser = factory.createParser(json)) {
            try {
                if (parser.nextToken() == null) {
                    throw MalformedJsonException.at(root, "ends too early");
                }
                T read = content.read(parser);
                if (whole && parser.nextToken() != null) {
                    throw MalformedJsonException.at(root, "nothing may follow");
                }
                return read;
            } catch (StreamConstraintsException e) {
                throw beyond(parser.getParsingContext(), root);
            } catch (JsonProcessingException e) {
                throw MalformedJsonException.at(path(parser.getParsingContext(), root), reason(e));
            }
        } catch (IOException e) {
            throw MalformedJsonException.at(root, String.valueOf(e.getMessage()));
        }
    }

    /** The reason in words. Of Jackson's messages only that of a repeated name adds anything to the place. */
    private static String reason(JsonProcessingException e) {
        if (e instanceof JsonEOFException) {
            return "ends too early";
        }
        String words = e.getOriginalMessage();
        return words.startsWith("Duplicate field")
                ? words
                : "is no JSON from byte " + e.getLocation().getByteOffset() + " on";
    }

    /** The exception for values that are nested too deeply, and for names and numbers that are too long. */
    private MalformedJsonException beyond(JsonStreamContext at, String root) {
        boolean deep = at.getNestingDepth() >= deepest;
        JsonStreamContext outer = at;
        while (outer.getNestingDepth() > NAMED) {
            outer = outer.getParent();
        }
        String path = path(outer, root);
        return deep
                ? MalformedJsonException.nested(path, deepest)
                : MalformedJsonException.at(path, "has a name or a number that is too long");
    }

    /** The path of the value at which a parser stopped. */
    private static String path(JsonStreamContext at, String root) {
        return at.inRoot()
                ? root
                : path(at.getParent(), root)
                        + (at.inArray()
                                ? "[" + Math.max(0, at.getCurrentIndex()) + "]"
                                : MalformedJsonException.step(at.getCurrentName()));
    }
}
