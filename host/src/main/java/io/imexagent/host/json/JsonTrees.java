package io.imexagent.host.json;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.Finding;
import java.io.IOException;
import java.util.List;

/** Trees of JSON or YAML. */
public final class JsonTrees {

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final JsonReader SMALL = new JsonReader(1 << 20, 64);

    private JsonTrees() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
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
     * The value at which a parser stands, or the first one of a parser that has not begun; a missing node if there is
     * none. The last of equal keys wins. Fails if the text is malformed or nested too deeply.
     */
    public static JsonNode value(JsonParser parser) throws IOException {
        JsonNode tree = MAPPER.readTree(parser);
        return tree == null ? MissingNode.getInstance() : tree;
    }

    /** The findings of a document. */
    public static ArrayNode findings(List<Finding> findings) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        findings.forEach(finding -> array.addObject()
                .put("code", finding.code())
                .put("severity", finding.severity().text())
                .put("message", finding.message())
                .put("remedy", finding.remedy()));
        return array;
    }

    /** The tree as JSON, compact. */
    public static String text(JsonNode tree) {
        return tree.toString();
    }
}
