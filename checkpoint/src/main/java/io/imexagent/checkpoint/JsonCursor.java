package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * Walks over JSON in UTF-8, as Go's {@code encoding/json} would: a field that is null counts as absent, and unknown
 * fields can be skipped. Everything that is wrong is a {@link MalformedJsonException} with the path.
 */
public final class JsonCursor implements AutoCloseable {

    /** Far deeper than any claim, and no danger for a stack. */
    private static final int DEEPEST = 200;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();

    private final byte[] source;
    private final String root;
    private final JsonParser parser;

    private JsonCursor(byte[] source, String root, JsonParser parser) {
        this.source = source;
        this.root = root;
        this.parser = parser;
    }

    /**
     * A cursor on the first value of the source.
     *
     * @param root the name of that value in messages; may be empty
     */
    public static JsonCursor over(byte[] source, String root) throws MalformedJsonException {
        try {
            var cursor = new JsonCursor(source, root, FACTORY.createParser(source));
            cursor.next();
            return cursor;
        } catch (IOException e) {
            throw new MalformedJsonException(root + ": " + e.getMessage());
        }
    }

    /** Steps into the object that the cursor is on. */
    public void beginObject() throws MalformedJsonException {
        expect(JsonToken.START_OBJECT, "an object");
    }

    /** Goes to the value of the next field that is not null; false, at the object's end, where there is none. */
    public boolean nextField() throws MalformedJsonException {
        while (next() == JsonToken.FIELD_NAME) {
            if (next() != JsonToken.VALUE_NULL) {
                return true;
            }
        }
        return false;
    }

    /** The name of the field that the cursor is in. */
    public String name() throws MalformedJsonException {
        JsonStreamContext context = parser.getParsingContext();
        if (token().isStructStart()) {
            context = context.getParent();
        }
        return context.getCurrentName();
    }

    /** Reads the elements of the array that the cursor is on, one after the other. */
    public void each(Element element) throws MalformedJsonException {
        expect(JsonToken.START_ARRAY, "a list");
        while (next() != JsonToken.END_ARRAY) {
            element.read();
        }
    }

    /** Reads the element that the cursor is on. */
    public interface Element {
        void read() throws MalformedJsonException;
    }

    /** Makes sure that nothing follows the first value. */
    public void endDocument() throws MalformedJsonException {
        try {
            if (parser.nextToken() != null) {
                throw malformed("nothing may follow");
            }
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Leaves out the value. */
    void skip() throws MalformedJsonException {
        try {
            parser.skipChildren();
            parser.finishToken();
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** Leaves out the value, and tells where in the source it stands. */
    Span span() throws MalformedJsonException {
        int from = offset();
        skip();
        return new Span(from, endOffset());
    }

    /** The index of the first byte of the value, or of the bracket, that the cursor is on. */
    int offset() {
        return Math.toIntExact(parser.currentTokenLocation().getByteOffset());
    }

    /** The index behind the last byte of the value, or of the bracket, that the cursor has read. */
    int endOffset() {
        return Math.toIntExact(parser.currentLocation().getByteOffset());
    }

    /** The value as its author wrote it, as {@link ClaimStatusJson} keeps such values. */
    JsonText verbatim() throws MalformedJsonException {
        Span span = span();
        String text = new String(source, span.from(), span.to() - span.from(), UTF_8);
        return new JsonText(new String(new GoJson().verbatim(text).toBytes(), UTF_8));
    }

    /** The text that the cursor is on. */
    public String text() throws MalformedJsonException {
        expect(JsonToken.VALUE_STRING, "a text");
        try {
            return sound(parser.getText());
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /** The text as Go has it once it is read: a surrogate without its partner is U+FFFD. */
    private static String sound(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                var sound = new StringBuilder(text.length());
                text.codePoints().map(GoJson::sound).forEach(sound::appendCodePoint);
                return sound.toString();
            }
        }
        return text;
    }

    /** The texts in the array that the cursor is on. */
    List<String> texts() throws MalformedJsonException {
        var texts = new ArrayList<String>();
        each(() -> texts.add(text()));
        return texts;
    }

    /** The whole number that the cursor is on, at least the first and at most the second. */
    public long integer(long least, long most) throws MalformedJsonException {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        try {
            long number = parser.getLongValue();
            if (number >= least && number <= most) {
                return number;
            }
        } catch (IOException e) {
            throw malformed("must be a whole number from " + least + " to " + most);
        }
        throw malformed("must be a whole number from " + least + " to " + most);
    }

    /** The truth value that the cursor is on. */
    boolean flag() throws MalformedJsonException {
        if (token() != JsonToken.VALUE_TRUE && token() != JsonToken.VALUE_FALSE) {
            throw malformed("must be true or false");
        }
        return token() == JsonToken.VALUE_TRUE;
    }

    /** The time that the cursor is on, RFC 3339, in whole seconds. */
    Instant time() throws MalformedJsonException {
        String text = text();
        try {
            Instant time = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.SECONDS);
            int year = time.atOffset(ZoneOffset.UTC).getYear();
            if (year >= 0 && year <= 9999) {
                return time;
            }
        } catch (DateTimeException e) {
            throw malformed(Quoted.of(text) + " is no time of RFC 3339");
        }
        throw malformed(Quoted.of(text) + " is no time of RFC 3339");
    }

    /** The exception for the value that the cursor is on. */
    public MalformedJsonException malformed(String clause) {
        String path = path();
        return new MalformedJsonException(path.isEmpty() ? clause : path + ": " + clause);
    }

    private MalformedJsonException malformed(IOException e) {
        return malformed(
                switch (e) {
                    case JsonEOFException eof -> "ends too early";
                    case JsonProcessingException broken -> broken.getOriginalMessage();
                    default -> String.valueOf(e.getMessage());
                });
    }

    private String path() {
        JsonStreamContext context = parser.getParsingContext();
        JsonToken token = parser.currentToken();
        if (token != null && token.isStructStart() && context.getParent() != null) {
            context = context.getParent();
        }
        var path = new StringBuilder();
        for (JsonStreamContext at = context; at != null && !at.inRoot(); at = at.getParent()) {
            if (at.inArray()) {
                path.insert(0, "[" + Math.max(at.getCurrentIndex(), 0) + "]");
            } else if (at.getCurrentName() != null) {
                path.insert(0, "." + shown(at.getCurrentName()));
            }
        }
        String full = root + path;
        return full.startsWith(".") ? full.substring(1) : full;
    }

    private static String shown(String name) {
        return name.matches("[A-Za-z0-9_./-]{1,80}") ? name : Quoted.of(name);
    }

    private JsonToken token() throws MalformedJsonException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw malformed("ends too early");
        }
        return token;
    }

    private JsonToken next() throws MalformedJsonException {
        try {
            JsonToken token = parser.nextToken();
            if (token == null) {
                throw malformed("ends too early");
            }
            return token;
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    private void expect(JsonToken expected, String what) throws MalformedJsonException {
        if (token() != expected) {
            throw malformed("must be " + what);
        }
    }

    @Override
    public void close() throws MalformedJsonException {
        try {
            parser.close();
        } catch (IOException e) {
            throw malformed(e);
        }
    }

    /**
     * A part of the source.
     *
     * @param from the index of its first byte
     * @param to the index behind its last byte
     */
    record Span(int from, int to) {}
}
