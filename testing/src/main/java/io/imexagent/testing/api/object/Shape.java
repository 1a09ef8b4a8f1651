package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Iterator;
import java.util.Map;

/** The fields that a type knows, as a tree. What is not in it is dropped, as the real server drops it. */
sealed interface Shape {
    /** An object with these fields and no others. */
    record Fields(Map<String, Shape> known) implements Shape {
        public Fields {
            known = Map.copyOf(known);
        }
    }

    /** A list whose items have one shape. */
    record Items(Shape item) implements Shape {}

    /** An object with keys of the user's choice, whose values have one shape. */
    record Keyed(Shape value) implements Shape {}

    /** A value that is taken as it stands, once its JSON type is right. */
    enum Leaf implements Shape {
        /** A string. */
        TEXT,
        /** A whole number. */
        WHOLE,
        /** true or false. */
        FLAG,
        /** Anything. */
        ANY;

        private void check(JsonNode node, String path, Pruning found) {
            switch (this) {
                case TEXT -> expect(node.isTextual(), node, path, "string", found);
                case WHOLE -> expect(node.isIntegralNumber(), node, path, "integer", found);
                case FLAG -> expect(node.isBoolean(), node, path, "boolean", found);
                case ANY -> {}
            }
        }

        private static void expect(boolean fits, JsonNode node, String path, String expected, Pruning found) {
            if (!fits) {
                found.wrongType(path, node, expected);
            }
        }
    }

    /** Takes from the tree what this shape does not know, and notes it, as well as values of the wrong type. */
    default void prune(JsonNode node, String path, Pruning found) {
        switch (this) {
            case Fields(Map<String, Shape> known) -> pruneFields(known, node, path, found);
            case Items(Shape item) -> pruneItems(item, node, path, found);
            case Keyed(Shape value) -> pruneKeyed(value, node, path, found);
            case Leaf leaf -> leaf.check(node, path, found);
        }
    }

    private static void pruneFields(Map<String, Shape> known, JsonNode node, String path, Pruning found) {
        if (!(node instanceof ObjectNode object)) {
            found.wrongType(path, node, "object");
            return;
        }
        Iterator<Map.Entry<String, JsonNode>> fields = object.properties().iterator();
        while (fields.hasNext()) {
            Map.Entry<String, JsonNode> field = fields.next();
            Shape shape = known.get(field.getKey());
            String fieldPath = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
            if (shape == null) {
                found.unknown(fieldPath);
                fields.remove();
            } else if (field.getValue().isNull()) {
                fields.remove();
            } else {
                shape.prune(field.getValue(), fieldPath, found);
            }
        }
    }

    private static void pruneItems(Shape item, JsonNode node, String path, Pruning found) {
        if (!(node instanceof ArrayNode list)) {
            found.wrongType(path, node, "array");
            return;
        }
        for (int i = 0; i < list.size(); i++) {
            item.prune(list.get(i), path + "[" + i + "]", found);
        }
    }

    private static void pruneKeyed(Shape value, JsonNode node, String path, Pruning found) {
        if (!(node instanceof ObjectNode object)) {
            found.wrongType(path, node, "object");
            return;
        }
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            value.prune(field.getValue(), path + "." + field.getKey(), found);
        }
    }
}
