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
 * Reads JSON that others wrote, token by token and within bounds: the one place that opens a parser of JSON. Answers of
 * the API server, which may be larger than memory, have a scanner of their own before it. The text is UTF-8.
 */
public final class JsonReader {

    /** Of what a program of the host prints, which its runner bounds more tightly: 16 MiB, 32 levels. */
    public static final JsonReader OF_PROGRAMS = new JsonReader(16 << 20, 32);

    /** What is nested too deeply is named by so many steps of its path. */
    private static final int NAMED = 7;

    private final JsonFactory factory;
    private final int longest;
    private final int deepest;

    /**
     * A reader of texts of so many bytes and levels of nesting at most, with these features beside Jackson's defaults.
     * Names of more than 50,000 characters, and numbers of more than 1,000, are beyond the bounds of any.
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

    /** What a caller makes of a value: the parser is on its first token, and has to be on its last one afterwards. */
    @FunctionalInterface
    public interface Content<T, E extends Exception> {
        T read(JsonParser parser) throws IOException, E;
    }

    /**
     * What the content makes of the only value of the text; {@code root} names it in messages, and may be empty. Text that
     * is beyond the bounds, or no JSON, is a {@link MalformedJsonException} that names the place; so is more behind it.
     */
    public <T, E extends Exception> T whole(byte[] json, String root, Content<T, E> content)
            throws MalformedJsonException, E {
        return read(json, root, parser -> {
            T read = content.read(parser);
            if (parser.nextToken() != null) {
                throw new TrailingTextException();
            }
            return read;
        });
    }

    /** The same of the first value, whatever stands behind it. */
    public <T, E extends Exception> T first(byte[] json, String root, Content<T, E> content)
            throws MalformedJsonException, E {
        return read(json, root, content);
    }

    private <T, E extends Exception> T read(byte[] json, String root, Content<T, E> content)
            throws MalformedJsonException, E {
        if (json.length > longest) {
            throw MalformedJsonException.at(root, "is longer than " + longest + " bytes");
        }
        try (JsonParser parser = factory.createParser(json)) {
            try {
                if (parser.nextToken() == null) {
                    throw MalformedJsonException.at(root, "ends too early");
                }
                return content.read(parser);
            } catch (StreamConstraintsException e) {
                throw beyond(parser.getParsingContext(), root);
            } catch (JsonProcessingException e) {
                throw MalformedJsonException.at(path(parser.getParsingContext(), root), reason(e));
            }
        } catch (TrailingTextException e) {
            throw MalformedJsonException.at(root, "nothing may follow");
        } catch (IOException e) {
            throw MalformedJsonException.at(root, String.valueOf(e.getMessage()));
        }
    }

    /** Of Jackson's own words only those of a repeated name say more than where the text stops being JSON. */
    private static String reason(JsonProcessingException e) {
        if (e instanceof JsonEOFException) {
            return "ends too early";
        }
        String words = e.getOriginalMessage();
        return words.startsWith("Duplicate field")
                ? words
                : "is no JSON from byte " + e.getLocation().getByteOffset() + " on";
    }

    /** What the parser bounds: how deeply values are nested, and how long a name or a number is. */
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

    /** The place at which a parser has stopped. */
    private static String path(JsonStreamContext at, String root) {
        return at.inRoot()
                ? root
                : path(at.getParent(), root)
                        + (at.inArray()
                                ? "[" + Math.max(0, at.getCurrentIndex()) + "]"
                                : MalformedJsonException.step(at.getCurrentName()));
    }

    private static final class TrailingTextException extends IOException {

        private static final long serialVersionUID = 1L;
    }
}
