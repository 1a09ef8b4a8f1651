package io.imexagent.testing.api.object;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** JSON patch (RFC 6902) on the object of that type and name. */
final class JsonPatch {
    private final ResourceType type;
    private final String name;

    JsonPatch(ResourceType type, String name) {
        this.type = type;
        this.name = name;
    }

    /** Applies the operations in their order; the target is changed. */
    JsonNode apply(JsonNode target, JsonNode operations) {
        if (!operations.isArray()) {
            throw StatusException.badRequest("error decoding patch: a JSON patch is a list of operations");
        }
        for (JsonNode operation : operations) {
            apply(target, operation.path("op").asText(), operation);
        }
        return target;
    }

    private void apply(JsonNode target, String verb, JsonNode operation) {
        JsonPointer path = pointer(operation, "path");
        switch (verb) {
            case "add" -> add(target, path, operation.path("value"));
            case "remove" -> remove(target, path);
            case "replace" -> {
                remove(target, path);
                add(target, path, operation.path("value"));
            }
            case "copy" -> add(target, path, existing(target, pointer(operation, "from")));
            case "move" -> {
                JsonNode moved = existing(target, pointer(operation, "from"));
                remove(target, pointer(operation, "from"));
                add(target, path, moved);
            }
            case "test" -> {
                if (!target.at(path).equals(operation.path("value"))) {
                    throw failed("testing value " + path + " failed");
                }
            }
            default -> throw StatusException.badRequest("unexpected kind of operation: " + verb);
        }
    }

    private void add(JsonNode target, JsonPointer path, JsonNode value) {
        JsonNode parent = target.at(path.head());
        String key = path.last().getMatchingProperty();
        if (parent instanceof ObjectNode object) {
            object.set(key, value.deepCopy());
        } else if (parent instanceof ArrayNode list && key.equals("-")) {
            list.add(value.deepCopy());
        } else if (parent instanceof ArrayNode list && index(path) <= list.size()) {
            list.insert(index(path), value.deepCopy());
        } else {
            throw failed("add operation does not apply: doc is missing path: " + path);
        }
    }

    private void remove(JsonNode target, JsonPointer path) {
        existing(target, path);
        JsonNode parent = target.at(path.head());
        if (parent instanceof ObjectNode object) {
            object.remove(path.last().getMatchingProperty());
        } else if (parent instanceof ArrayNode list) {
            list.remove(index(path));
        }
    }

    private JsonNode existing(JsonNode target, JsonPointer path) {
        JsonNode found = target.at(path);
        if (found.isMissingNode()) {
            throw failed("operation does not apply: doc is missing path: " + path);
        }
        return found.deepCopy();
    }

    private int index(JsonPointer path) {
        int index = path.last().getMatchingIndex();
        if (index < 0) {
            throw failed("not an index: " + path);
        }
        return index;
    }

    private static JsonPointer pointer(JsonNode operation, String field) {
        try {
            JsonPointer pointer = JsonPointer.compile(operation.path(field).asText());
            if (pointer.matches()) {
                throw StatusException.badRequest("the whole object cannot be patched at once");
            }
            return pointer;
        } catch (IllegalArgumentException e) {
            throw StatusException.badRequest("invalid " + field + " of a patch operation: " + e.getMessage());
        }
    }

    private StatusException failed(String why) {
        return StatusException.invalid(type, name, List.of(new Cause("FieldValueInvalid", "patch", why)));
    }
}
