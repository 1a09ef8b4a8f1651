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

/**
 * JSON as Go reads it: null fields count as absent, and unknown fields are skipped. Errors name the path of the value.
 */
public final class JsonValue {

    /** The deepest nesting that is read, far more than any claim has. */
    private static final int DEEPEST = 200;

    /** The reader of all values; the readers of files have tighter limits. */
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

    /** Reads the value at which the parser stands, to this number of levels. */
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

    /** Reads the only value of the source; {@code root} names the value in messages, and may be empty. */
    public static JsonValue read(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, DEEPEST);
    }

    /** Reads only the outermost object of the source; the values of its fields are not parsed. */
    static JsonValue outline(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, 1);
    }

    private static JsonValue read(byte[] source, String root, int levels) throws MalformedJsonException {
        return READER.whole(source, root, parser -> new JsonValue(source, null, root, parser, levels));
    }

    /**
     * Whether the value is kept as text and never parsed: users write it, and as parsed values it would take fifty
     * times its size. The value is recognised by its place as well as by its name, since a claim may have a field of
     * the same name.
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

    /** The text as Go reads it: an unpaired surrogate becomes U+FFFD. */
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

    /** The name of the field that holds this value. */
    public String name() {
        return name;
    }

    /** The index of the value's first byte in the source. */
    int from() {
        return from;
    }

    int to() {
        return to;
    }

    byte[] bytes() {
        return Arrays.copyOfRange(source, from, to);
    }

    /** The fields of this object, in their order. */
    public List<JsonValue> fields() throws MalformedJsonException {
        expect(JsonToken.START_OBJECT, "an object");
        return children;
    }

    /** Reads a field; empty if the object has no field of that name. The last of several fields of one name wins. */
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

    /** The text of a field; empty if the field is absent. */
    public String text(String field) throws MalformedJsonException {
        return field(field, JsonValue::text).orElse("");
    }

    /** The texts of a field's list; none if the field is absent. */
    List<String> texts(String field) throws MalformedJsonException {
        return list(field, JsonValue::text);
    }

    /** Reads each element of a field's list; none if the field is absent. */
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

    /** The value as its author wrote it, in the form that {@link ClaimStatusJson} describes. */
    JsonText verbatim() {
        return new GoJson().verbatim(new String(bytes(), UTF_8)).json();
    }

    public String text() throws MalformedJsonException {
        expect(JsonToken.VALUE_STRING, "a text");
        return text;
    }

    /** Reads a whole number in the range from {@code least} to {@code most}. */
    public long integer(long least, long most) throws MalformedJsonException {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        if (number.isEmpty() || number.getAsLong() < least || number.getAsLong() > most) {
            throw malformed("must be a whole number from " + least + " to " + most);
        }
        return number.getAsLong();
    }

    /** The whole number of a field; empty if the field is absent. */
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

    /** Reads a time of RFC 3339, cut to whole seconds. */
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
