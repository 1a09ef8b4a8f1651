package io.imexagent.kubernetes.fabric8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;

/** JSON trees, for objects that are small or read rarely. */
final class Json {

    static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static String text(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }

    /** The tree of an answer, which must be an object. */
    static JsonNode tree(byte[] body) throws IOException {
        JsonNode root = MAPPER.readTree(body);
        if (root == null || !root.isObject()) {
            throw new IOException("no JSON object");
        }
        return root;
    }

    /** A text that must be there. */
    static String required(JsonNode node, String field) throws IOException {
        String text = node.path(field).asText("");
        if (text.isEmpty()) {
            throw new IOException("no " + field);
        }
        return text;
    }
}
