package io.imexagent.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.InputCoercionException;
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
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A value in JSON of UTF-8, as Go's {@code encoding/json} would read it: a field that is null counts as absent, and
 * fields that are not asked for do no harm. Everything that is wrong is a {@link MalformedJsonException} with the path.
 */
public final class JsonValue {

    /** Far deeper than any claim. */
    private static final int DEEPEST = 200;

    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .disable(JsonFactory.Feature.CHARSET_DETECTION)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build();

    private final byte[] source;
    private final @Nullable JsonValue parent;
    private final String name;
    private final JsonToken token;
    private final int from;
    private final List<JsonValue> children;
    private int to;
    private String text = "";
    private OptionalLong number = OptionalLong.empty();

    private JsonValue(byte[] source, @Nullable JsonValue parent, String name, JsonParser parser) {
        this.source = source;
        this.parent = parent;
        this.name = name;
        this.token = parser.currentToken();
        this.from = Math.toIntExact(parser.currentTokenLocation().getByteOffset());
        this.children = token.isStructStart() ? new ArrayList<>(0) : List.of();
    }

    /** Reads what is of interest in a value. */
    public interface Reader<T> {
        T read(JsonValue value) throws MalformedJsonException;
    }

    /**
     * The only value of the source.
     *
     * @param root the name of that value in messages; may be empty
     */
    public static JsonValue read(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, DEEPEST);
    }

    /** The same, of which only the outermost object is gone into: what its fields hold is passed over. */
    static JsonValue outline(byte[] source, String root) throws MalformedJsonException {
        return read(source, root, 1);
    }

    private static JsonValue read(byte[] source, String root, int levels) throws MalformedJsonException {
        try (JsonParser parser = FACTORY.createParser(source)) {
            return read(parser, source, root, levels);
        } catch (IOException e) {
            throw malformed(null, root, String.valueOf(e.getMessage()));
        }
    }

    private static JsonValue read(JsonParser parser, byte[] source, String root, int levels)
            throws MalformedJsonException {
        @Nullable JsonValue open = null;
        try {
            if (parser.nextToken() == null) {
                throw malformed(null, root, "ends too early");
            }
            var whole = new JsonValue(source, null, root, parser);
            open = whole.taken(parser, levels) ? whole : null;
            int depth = 1;
            while (open != null) {
                switch (parser.nextToken()) {
                    case FIELD_NAME -> {}
                    case END_OBJECT, END_ARRAY -> {
                        open.to = end(parser);
                        open = open.parent;
                        depth--;
                    }
                    default -> {
                        var value = new JsonValue(source, open, open.childName(parser.currentName()), parser);
                        if (value.token != JsonToken.VALUE_NULL || open.isList()) {
                            open.children.add(value);
                        }
                        if (value.taken(parser, levels - depth)) {
                            open = value;
                            depth++;
                        }
                    }
                }
            }
            if (parser.nextToken() != null) {
                throw whole.malformed("nothing may follow");
            }
            return whole;
        } catch (IOException e) {
            String clause = switch (e) {
                case JsonEOFException eof -> "ends too early";
                case JsonProcessingException broken -> broken.getOriginalMessage();
                default -> String.valueOf(e.getMessage());
            };
            if (open == null) {
                throw malformed(null, root, clause);
            }
            String name = parser.getParsingContext().getCurrentName();
            throw open.isList() || name != null
                    ? malformed(open, open.childName(name), clause)
                    : open.malformed(clause);
        }
    }

    /**
     * Whether the value is kept as it was written and never gone into: users write it, and as values it would take fifty
     * times its bytes. By its place as well as by its name, which a claim may have too.
     */
    private boolean isVerbatim() {
        return parent != null
                && ((name.equals("parameters") && parent.name.equals("opaque"))
                        || (name.equals("data") && parent.parent != null && parent.parent.name.equals("devices")));
    }

    private boolean isList() {
        return token == JsonToken.START_ARRAY;
    }

    /** What the next child is called: by this name in an object, by its index in a list. */
    private String childName(@Nullable String field) {
        return isList() ? "[" + children.size() + "]" : Objects.requireNonNull(field, "each field has a name");
    }

    /** Takes the value that the parser is on, and tells whether it is to be gone into. */
    private boolean taken(JsonParser parser, int levels) throws IOException {
        switch (token) {
            case START_OBJECT, START_ARRAY -> {
                if (levels > 0 && !isVerbatim()) {
                    return true;
                }
                parser.skipChildren();
            }
            case VALUE_STRING -> text = sound(parser.getText());
            case VALUE_NUMBER_INT -> number = number(parser);
            default -> parser.finishToken();
        }
        to = end(parser);
        return false;
    }

    private static int end(JsonParser parser) {
        return Math.toIntExact(parser.currentLocation().getByteOffset());
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
        String written = new String(bytes(), UTF_8);
        return new JsonText(new GoJson().verbatim(written).toString());
    }

    /** The text. */
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

    /** The exception for this value. */
    public MalformedJsonException malformed(String clause) {
        return malformed(parent, name, clause);
    }

    private static MalformedJsonException malformed(@Nullable JsonValue parent, String name, String clause) {
        String path = path(parent, name);
        return new MalformedJsonException(path.isEmpty() ? clause : path + ": " + clause);
    }

    private static String path(@Nullable JsonValue parent, String name) {
        var path = new StringBuilder(parent == null ? name : step(parent, name));
        for (JsonValue at = parent; at != null; at = at.parent) {
            path.insert(0, at.parent == null ? at.name : step(at.parent, at.name));
        }
        return path.indexOf(".") == 0 ? path.substring(1) : path.toString();
    }

    private static String step(JsonValue parent, String name) {
        if (parent.isList()) {
            return name;
        }
        return "." + (name.matches("[A-Za-z0-9_./-]{1,80}") ? name : Quoted.of(name));
    }
}
