package io.imexagent.host.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TreeTraversingParser;
import java.io.IOException;
import java.io.StringWriter;

/**
 * Trees of JSON or YAML over Jackson's streams, without its ObjectMapper, which adds some 30 ms to a start of the
 * agent.
 */
public final class JsonTrees {

    private static final JsonFactory JSON = new JsonFactory();
    private static final JsonReader SMALL = new JsonReader(1 << 20, 64);
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private JsonTrees() {}

    public static ObjectNode object() {
        return NODES.objectNode();
    }

    /** Parses a JSON object of at most 1 MiB and 64 levels; fails for any other text. */
    public static ObjectNode object(String text) throws IOException {
        try {
            if (SMALL.first(text.getBytes(UTF_8), "", JsonTrees::value) instanceof ObjectNode object) {
                return object;
            }
        } catch (MalformedJsonException e) {
            // Jackson's message may quote the text.
        }
        throw new IOException("no JSON object");
    }

    /** Parses the only value of what a host program printed, within {@link JsonReader#OF_PROGRAMS}. */
    public static JsonNode printed(String text) throws MalformedJsonException {
        return JsonReader.OF_PROGRAMS.first(text.getBytes(UTF_8), "", JsonTrees::value);
    }

    /**
     * The next value of YAML; a missing node if there is none. The last of equal keys wins. Fails if the text is
     * malformed or nested too deeply.
     */
    public static JsonNode read(JsonParser parser) throws IOException {
        return parser.nextToken() == null ? MissingNode.getInstance() : value(parser);
    }

    /** The value at which a parser stands. */
    public static JsonNode value(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> NODES.textNode(parser.getText());
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> NODES.numberNode(parser.getIntValue());
                    case LONG -> NODES.numberNode(parser.getLongValue());
                    case BIG_INTEGER, BIG_DECIMAL, FLOAT, DOUBLE -> NODES.numberNode(parser.getBigIntegerValue());
                };
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(parser.getDoubleValue());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            case VALUE_NULL -> NODES.nullNode();
            case VALUE_EMBEDDED_OBJECT -> NODES.binaryNode(parser.getBinaryValue());
            case END_OBJECT, END_ARRAY, FIELD_NAME, NOT_AVAILABLE ->
                throw new IllegalStateException("no value begins with " + parser.currentToken());
        };
    }

    private static ObjectNode object(JsonParser parser) throws IOException {
        ObjectNode object = NODES.objectNode();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String field = parser.currentName();
            parser.nextToken();
            object.set(field, value(parser));
        }
        return object;
    }

    private static ArrayNode array(JsonParser parser) throws IOException {
        ArrayNode array = NODES.arrayNode();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(parser));
        }
        return array;
    }

    /** The tree as JSON, compact. */
    public static String text(JsonNode tree) {
        var text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text);
                var events = new TreeTraversingParser(tree)) {
            events.nextToken();
            generator.copyCurrentStructure(events);
        } catch (IOException e) {
            throw new IllegalStateException("a tree can always be written to memory", e);
        }
        return text.toString();
    }
}
