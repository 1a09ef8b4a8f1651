package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** JSON merge patches (RFC 7396), the one form of PATCH that the double takes. */
public final class Patch {
    private static final String MERGE = "application/merge-patch+json";

    private Patch() {}

    /** The object after the patch; the old one stays as it was. Another content type is a refusal with 415. */
    public static ObjectNode apply(String contentType, ObjectNode old, byte[] body) {
        if (!contentType.startsWith(MERGE)) {
            throw StatusException.unsupportedMediaType(contentType, MERGE);
        }
        ObjectNode result = old.deepCopy();
        merge(result, Json.sent(body));
        return result;
    }

    private static void merge(ObjectNode target, ObjectNode change) {
        for (Map.Entry<String, JsonNode> field : change.properties()) {
            if (field.getValue() instanceof ObjectNode fields) {
                merge(Json.child(target, field.getKey()), fields);
            } else if (field.getValue().isNull()) {
                target.remove(field.getKey());
            } else {
                target.set(field.getKey(), field.getValue());
            }
        }
    }
}
