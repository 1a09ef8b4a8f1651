package io.imexagent.kubernetes.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.kubernetes.json.JsonTrees;

/** Makes the JSON that is sent. */
final class Json {

    private Json() {}

    static ObjectNode object() {
        return JsonTrees.object();
    }

    static String text(JsonNode node) {
        return JsonTrees.text(node);
    }
}
