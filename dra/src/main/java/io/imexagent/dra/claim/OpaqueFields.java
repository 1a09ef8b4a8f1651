package io.imexagent.dra.claim;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.imexagent.core.claim.JsonText;
import io.imexagent.core.claim.Quoted;
import io.imexagent.host.json.JsonReader;
import io.imexagent.host.json.MalformedJsonException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The fields of a claim's opaque parameters: one flat JSON object, read strictly. An unknown or repeated field, a wrong
 * type, malformed JSON, and text after the object are a {@link FieldException} with the field's name. A null field
 * counts as missing, as in the public driver.
 */
public final class OpaqueFields {

    /** The largest parameters that are read; Kubernetes accepts at most 10 KiB. */
    private static final int LARGEST = 64 << 10;

    /** The deepest nesting that is read; a nested value has the wrong type in any case, and is skipped. */
    private static final int DEEPEST = 8;

    private static final JsonReader READER = new JsonReader(LARGEST, DEEPEST);

    private final Map<String, FieldToken> values;

    private OpaqueFields(Map<String, FieldToken> values) {
        this.values = values;
    }

    /** Reads parameters that may have these fields. */
    public static OpaqueFields read(JsonText parameters, List<String> known) throws FieldException {
        if (parameters.text().isBlank()) {
            throw new FieldException("it must be a JSON object, not empty");
        }
        try {
            return new OpaqueFields(
                    READER.whole(parameters.text().getBytes(UTF_8), "", parser -> values(parser, known)));
        } catch (MalformedJsonException broken) {
            throw new FieldException("its JSON is refused: " + broken.reason());
        }
    }

    private static Map<String, FieldToken> values(JsonParser json, List<String> known)
            throws IOException, FieldException {
        if (json.currentToken() != JsonToken.START_OBJECT) {
            throw new FieldException("it must be a JSON object, not " + type(json.currentToken()));
        }
        var values = new LinkedHashMap<String, FieldToken>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            if (!known.contains(name)) {
                throw new FieldException(
                        "unknown field " + Quoted.of(name) + "; there are " + String.join(", ", known));
            }
            JsonToken token = json.nextToken();
            var value = new FieldToken(token, token.isScalarValue() ? json.getText() : "");
            json.skipChildren();
            if (values.putIfAbsent(name, value) != null) {
                throw new FieldException("field \"" + name + "\" is there twice");
            }
        }
        return values;
    }

    /** Whether the field is present, even if null. */
    public boolean has(String field) {
        return values.containsKey(field);
    }

    /** The text of the field; empty if it is missing. */
    public String text(String field) throws FieldException {
        return scalar(field, "a string", JsonToken.VALUE_STRING).orElse("");
    }

    public String required(String field) throws FieldException {
        String text = text(field);
        if (text.isEmpty()) {
            throw new FieldException("field \"" + field + "\" is missing or empty");
        }
        return text;
    }

    public void demand(String field, String wanted) throws FieldException {
        String text = required(field);
        if (!text.equals(wanted)) {
            throw new FieldException("field \"" + field + "\" must be \"" + wanted + "\", not " + Quoted.of(text));
        }
    }

    /** The boolean of the field, or the default if it is missing. */
    public boolean flag(String field, boolean defaultValue) throws FieldException {
        return scalar(field, "a boolean", JsonToken.VALUE_TRUE, JsonToken.VALUE_FALSE)
                .map(Boolean::valueOf)
                .orElse(defaultValue);
    }

    /** The whole number of the field, 0 to {@code largest}; empty if it is missing. */
    public OptionalInt number(String field, int largest) throws FieldException {
        Optional<String> digits = scalar(field, "a whole number", JsonToken.VALUE_NUMBER_INT);
        if (digits.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            int number = Integer.parseInt(digits.get());
            if (number >= 0 && number <= largest) {
                return OptionalInt.of(number);
            }
        } catch (NumberFormatException tooLarge) {
            // A number that is larger than an int is out of range as well.
        }
        throw new FieldException("field \"" + field + "\" must be a whole number from 0 to " + largest);
    }

    private Optional<String> scalar(String field, String wanted, JsonToken... tokens) throws FieldException {
        FieldToken value = values.getOrDefault(field, FieldToken.MISSING);
        if (value.token == JsonToken.VALUE_NULL) {
            return Optional.empty();
        }
        if (!List.of(tokens).contains(value.token)) {
            throw new FieldException("field \"" + field + "\" must be " + wanted + ", not " + type(value.token));
        }
        return Optional.of(value.text);
    }

    private static String type(JsonToken token) {
        return switch (token) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            case VALUE_STRING -> "a string";
            case VALUE_EMBEDDED_OBJECT, FIELD_NAME, END_ARRAY, END_OBJECT, NOT_AVAILABLE -> "something else";
        };
    }

    private record FieldToken(JsonToken token, String text) {

        static final FieldToken MISSING = new FieldToken(JsonToken.VALUE_NULL, "");
    }

    /** What is wrong with the parameters, as a clause that names the field. */
    public static final class FieldException extends Exception {

        private static final long serialVersionUID = 1L;

        public FieldException(String reason) {
            super(reason, null, false, false);
        }

        public String reason() {
            return String.valueOf(getMessage());
        }
    }
}
