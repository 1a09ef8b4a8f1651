package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.json.JsonTrees;
import java.io.IOException;

/** JSON trees of the server's objects, for those that are small or read rarely. */
final class Json {

    private Json() {}

    static ObjectNode object() {
        return JsonTrees.object();
    }

    static String text(JsonNode node) {
        return JsonTrees.text(node);
    }

    /** The tree of an answer, which must be an object. */
    static JsonNode tree(byte[] body) throws IOException {
        JsonNode root = JsonTrees.read(body);
        if (!root.isObject()) {
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
