package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** The forms of PATCH bodies that the server takes. */
public enum Patch {
    /** RFC 7396. */
    MERGE("application/merge-patch+json"),
    /** RFC 6902. */
    JSON("application/json-patch+json"),
    /** Strategic merge, for built-in types; here maps are merged and lists replaced, as for types without merge keys. */
    STRATEGIC("application/strategic-merge-patch+json");

    private final String mediaType;

    Patch(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The form of a body by its content type; one that the type does not take is a refusal with 415. */
    public static Patch of(ResourceType type, String contentType) {
        String essence = contentType.toLowerCase(Locale.ROOT);
        int parameters = essence.indexOf(';');
        String media = (parameters < 0 ? essence : essence.substring(0, parameters)).strip();
        for (Patch patch : values()) {
            if (patch.mediaType.equals(media) && !(patch == STRATEGIC && type.custom())) {
                return patch;
            }
        }
        throw StatusException.unsupportedMediaType(media, MERGE.mediaType + ", " + JSON.mediaType);
    }

    /** The object after the patch; the old one stays as it was. */
    public ObjectNode apply(ResourceType type, String name, ObjectNode old, byte[] body) {
        JsonNode change;
        try {
            change = Json.parse(body);
        } catch (IOException e) {
            throw StatusException.badRequest("error decoding patch: " + e.getMessage());
        }
        JsonNode result = switch (this) {
            case MERGE, STRATEGIC -> merge(old.deepCopy(), change);
            case JSON -> new JsonPatch(type, name).apply(old.deepCopy(), change);
        };
        if (result instanceof ObjectNode object) {
            return object;
        }
        throw StatusException.badRequest("a patch must leave an object");
    }

    private static JsonNode merge(JsonNode target, JsonNode change) {
        if (!(change instanceof ObjectNode fields)) {
            return change;
        }
        ObjectNode into = target instanceof ObjectNode object ? object : Json.object();
        for (Map.Entry<String, JsonNode> field : fields.properties()) {
            if (field.getValue().isNull()) {
                into.remove(field.getKey());
            } else {
                into.set(field.getKey(), merge(into.path(field.getKey()), field.getValue()));
            }
        }
        return into;
    }
}
