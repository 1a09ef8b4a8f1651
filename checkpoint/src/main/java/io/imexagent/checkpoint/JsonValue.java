package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.host.json.JsonReader;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** JSON as Go reads it: null fields count as absent, unknown ones do no harm; what is wrong is named by its path. */
public final class JsonValue {

    /** Far deeper than any claim. */
    private static final int DEEPEST = 200;

    /** Of all that it holds; files have closer limits where they are read. */
    private static final JsonReader READER = new JsonReader(64 << 20, DEEPEST);

    private final byte[] source;
    private final @Nullable JsonValue parent;
    private final String name;
    private final JsonToken token;
    private final int from;
    private final int to;
    private final List<JsonValue> children;
    private final String text;
    private final OptionalLong number;

    /** Takes the value that the parser is on, and goes so many levels into it. */
    private JsonValue(byte[] source, @Nullable JsonValue parent, String name, JsonParser parser, int levels)
            throws IOException {
        this.source = source;
        this.parent = parent;
        this.name = name;
        this.token = parser.currentToken();
        this.from = Math.toIntExact(parser.currentTokenLocation().getByteOffset());
        this.children = token.isStructStart() ? new ArrayList<>(0) : List.of();
        this.text = token == JsonToken.VALUE_STRING ? sound(parser.getText()) : "";
        this.number = token == JsonToken.VALUE_NUMBER_INT ? number(parser) : OptionalLong.empty();
        if (token.isStructStart() && levels > 0 && !isVerbatim()) {
            takeChildren(parser, levels - 1);
        } else {
            parser.skipChildren();
        }
        parser.finishToken();
        this.to = Math.toIntExact(parser.currentLocation().getByteOffset());
    }

    private void takeChildren(JsonParser parser, int levels) throws IOException {
        while (!parser.nextToken().isStructEnd()) {
            String child = isList() ? "[" + children.size() + "]" : parser.currentName();
            if (!isList()) {
                parser.nextToken();
            }
            var value = new JsonValue(source, this, child, parser, levels);
            if (value.token != JsonToken.VALUE_NULL || isList()) {
                children.add(value);
            }
        }
    }

    public interface Reader<T> {
        T read(JsonValue value) throws MalformedJsonException;
    }

    /** The only value of the source; {@code root} names it in messages, and may be empty. */
    public static JsonValue read(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, DEEPEST);
    }

    /** The same, of which only the outermost object is gone into: what its fields hold is passed over. */
    static JsonValue outline(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, 1);
    }

    private static JsonValue read(byte[] source, String root, int levels) throws MalformedJsonException {
        return READER.whole(source, root, parser -> new JsonValue(source, null, root, parser, levels));
    }

    /**
     * Whether the value is kept as it was written and never gone into: users write it, and as values it would take
     * fifty times its bytes. By its place as well as by its name, which a claim may have too.
     */
    private boolean isVerbatim() {
        return parent != null
                && ((name.equals("parameters") && parent.name.equals("opaque"))
                        || (name.equals("data") && parent.parent != null && parent.parent.name.equals("devices")));
    }

    private boolean isList() {
        return token == JsonToken.START_ARRAY;
    }

    private static OptionalLong number(JsonParser parser) throws IOException {
        try {
            return OptionalLong.of(parser.getLongValue());
        } catch (InputCoercionException tooLarge) {
            return OptionalLong.empty();
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

    /** The name of the field that it is the value of. */
    public String name() {
        return name;
    }

    /** The index of its first byte in the source. */
    int from() {
        return from;
    }

    int to() {
        return to;
    }

    byte[] bytes() {
        return Arrays.copyOfRange(source, from, to);
    }

    /** The fields of the object, in their order. */
    public List<JsonValue> fields() throws MalformedJsonException {
        expect(JsonToken.START_OBJECT, "an object");
        return children;
    }

    /** What the reader makes of the field; empty where the object has none of that name. Of several the last counts. */
    public <T> Optional<T> field(String field, Reader<T> reader) throws MalformedJsonException {
        for (JsonValue value : fields().reversed()) {
            if (value.name.equals(field)) {
                return Optional.of(reader.read(value));
            }
        }
        return Optional.empty();
    }

    <T> T required(String field, Reader<T> reader) throws MalformedJsonException {
        return field(field, reader).orElseThrow(() -> malformed("field \"" + field + "\" is missing"));
    }

    /** The text of the field; empty where there is none. */
    public String text(String field) throws MalformedJsonException {
        return field(field, JsonValue::text).orElse("");
    }

    /** The texts of the field; none where there is none. */
    List<String> texts(String field) throws MalformedJsonException {
        return list(field, JsonValue::text);
    }

    /** What the reader makes of each element of the field's list; nothing where there is none. */
    public <T> List<T> list(String field, Reader<T> reader) throws MalformedJsonException {
        return field(field, value -> value.elements(reader)).orElse(List.of());
    }

    <T> List<T> elements(Reader<T> reader) throws MalformedJsonException {
        expect(JsonToken.START_ARRAY, "a list");
        var elements = new ArrayList<T>();
        for (JsonValue child : children) {
            elements.add(reader.read(child));
        }
        return elements;
    }

    /** The value as its author wrote it, as {@link ClaimStatusJson} keeps such values. */
    JsonText verbatim() {
        return new GoJson().verbatim(new String(bytes(), UTF_8)).json();
    }

    public String text() throws MalformedJsonException {
        expect(JsonToken.VALUE_STRING, "a text");
        return text;
    }

    /** The whole number, at least the first and at most the second. */
    public long integer(long least, long most) throws MalformedJsonException {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
            throw malformed("must be a whole number from " + least + " to " + most);
        }
        return number.getAsLong();
    }

    /** The whole number of the field; empty where there is none. */
    OptionalLong integer(String field) throws MalformedJsonException {
        return field(field, value -> OptionalLong.of(value.integer(Long.MIN_VALUE, Long.MAX_VALUE)))
                .orElse(OptionalLong.empty());
    }

    boolean flag() throws MalformedJsonException {
        if (!token.isBoolean()) {
            throw malformed("must be true or false");
        }
        return token == JsonToken.VALUE_TRUE;
    }

    /** The time, RFC 3339, in whole seconds. */
    Instant time() throws MalformedJsonException {
        try {
            Instant time = OffsetDateTime.parse(text()).toInstant().truncatedTo(ChronoUnit.SECONDS);
            int year = time.atOffset(ZoneOffset.UTC).getYear();
            if (year >= 0 && year <= 9999) {
                return time;
            }
        } catch (DateTimeException e) {
            // It is none either.
        }
        throw malformed(Quoted.of(text) + " is no time of RFC 3339");
    }

    private void expect(JsonToken expected, String what) throws MalformedJsonException {
        if (token != expected) {
            throw malformed("must be " + what);
        }
    }

    public MalformedJsonException malformed(String clause) {
        return MalformedJsonException.at(path(), clause);
    }

    private String path() {
        return parent == null ? name : parent.path() + (parent.isList() ? name : MalformedJsonException.step(name));
    }
}
