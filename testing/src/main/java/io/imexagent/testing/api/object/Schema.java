package io.imexagent.testing.api.object;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonMetaSchema;
import com.networknt.schema.JsonNodePath;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.NonValidationKeyword;
import com.networknt.schema.SchemaValidatorsConfig;
import com.networknt.schema.SpecVersion;
import com.networknt.schema.ValidationMessage;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The schema of a kind: that of the CustomResourceDefinition that the project ships, or for the built-in ones that of
 * {@code schemas.yaml}. Other built-in kinds have one that knows the metadata alone and takes the rest as it stands.
 */
final class Schema {
    private static final JsonNode BUILT_IN = Json.resource(Schema.class, "schemas.yaml");
    /** Validates by what it knows; the x- keywords are for this class. */
    private static final JsonSchemaFactory VALIDATORS = JsonSchemaFactory.getInstance(
            SpecVersion.VersionFlag.V7,
            factory -> factory.metaSchema(JsonMetaSchema.builder(JsonMetaSchema.getV7())
                    .unknownKeywordFactory((keyword, context) -> new NonValidationKeyword(keyword))
                    .build()));

    /** The server names the first of these that a text breaks. */
    private static final Set<String> OF_TEXT = Set.of("maxLength", "minLength", "pattern");

    private static final SchemaValidatorsConfig STRICT =
            SchemaValidatorsConfig.builder().formatAssertionsEnabled(true).build();

    private final boolean custom;
    private final boolean statusApart;
    private final JsonNode root;
    private final JsonSchema validator;

    private Schema(ResourceType type, JsonNode root) {
        this.custom = type.custom();
        this.statusApart = type.hasStatusSubresource();
        this.root = root;
        this.validator = VALIDATORS.getSchema(root, STRICT);
    }

    static Schema of(ResourceType type) {
        ObjectNode root = type.custom()
                ? (ObjectNode)
                        Json.resource(Schema.class, "/io/imexagent/controller/manifests/" + type.plural() + "-crd.yaml")
                                .at("/spec/versions/0/schema/openAPIV3Schema")
                : (ObjectNode)
                        inlined(BUILT_IN.path(type.kind()).isObject() ? BUILT_IN.path(type.kind()) : Json.object());
        ObjectNode known = Json.child(root, "properties");
        known.putObject("apiVersion").put("type", "string");
        known.putObject("kind").put("type", "string");
        known.set("metadata", inlined(BUILT_IN.path("ObjectMeta")));
        if (type == ResourceType.NAMESPACES) {
            known.withObject("/metadata/properties").set("name", inlined(BUILT_IN.path("DnsLabel")));
        }
        if (!type.custom() && BUILT_IN.path(type.kind()).isMissingNode()) {
            root.put("x-kubernetes-preserve-unknown-fields", true);
        }
        return new Schema(type, root);
    }

    /** What was found while a tree was fitted: the paths of the fields that were dropped, and values of a wrong type. */
    record Fit(List<String> unknownFields, List<StatusCause> wrongTypes) {}

    /** Takes from the tree what the schema does not know, and nulls. */
    Fit fit(ObjectNode sent) {
        var found = new Fit(new ArrayList<>(), new ArrayList<>());
        walk(root, sent, "", (schema, node, path) -> {
            String type = schema.path("type").asText();
            if (!fits(type, node)) {
                String actual = "\"" + node.getNodeType().name().toLowerCase(Locale.ROOT) + "\"";
                String why = "Invalid value: " + actual + ": " + path + " in body must be of type " + type;
                found.wrongTypes.add(new StatusCause("FieldValueTypeInvalid", path, why + ": " + actual));
            } else if (node instanceof ObjectNode object && schema.has("properties")) {
                boolean open = schema.has("x-kubernetes-preserve-unknown-fields");
                object.properties().removeIf(field -> {
                    boolean unknown = !open && !schema.path("properties").has(field.getKey());
                    if (unknown) {
                        found.unknownFields.add(child(path, field.getKey()));
                    }
                    return unknown || (!open && field.getValue().isNull());
                });
            }
        });
        return found;
    }

    void setDefaults(ObjectNode object) {
        walk(root, object, "", (schema, node, path) -> {
            for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
                if (field.getValue().has("default") && node instanceof ObjectNode parent && !node.has(field.getKey())) {
                    parent.set(field.getKey(), field.getValue().path("default").deepCopy());
                }
            }
        });
    }

    /** The faults of an object, which are none of its types. */
    List<StatusCause> check(ObjectNode object) {
        List<StatusCause> causes = new ArrayList<>();
        Set<String> texts = new HashSet<>();
        for (ValidationMessage fault : validator.validate(object)) {
            if (!OF_TEXT.contains(fault.getType()) || texts.add(path(fault.getInstanceLocation()))) {
                causes.add(cause(fault));
            }
        }
        walk(root, object, "", (schema, node, path) -> {
            checkKeys(schema, node, path, causes);
            JsonNode choices = schema.path("x-one-of");
            if (!choices.isEmpty()
                    && choices.valueStream()
                                    .filter(field -> node.has(field.asText()))
                                    .count()
                            != 1) {
                causes.add(StatusCause.invalid(path, "\"object\"", "exactly one of " + choices + " is required"));
            }
        });
        return causes;
    }

    private void checkKeys(JsonNode schema, JsonNode list, String path, List<StatusCause> causes) {
        if (!schema.has("x-kubernetes-list-type")) {
            return;
        }
        String key = schema.path("x-kubernetes-list-map-keys").path(0).asText("");
        Set<JsonNode> seen = new HashSet<>();
        for (int i = 0; i < list.size(); i++) {
            JsonNode identity = key.isEmpty() ? list.get(i) : list.get(i).path(key);
            if (!seen.add(identity)) {
                String field = path + "[" + i + "]" + (custom ? "" : "." + key);
                JsonNode shown = custom && !key.isEmpty() ? Json.object().set(key, identity) : identity;
                causes.add(new StatusCause("FieldValueDuplicate", field, "Duplicate value: " + shown));
            }
        }
    }

    private StatusCause cause(ValidationMessage fault) {
        String path = path(fault.getInstanceLocation());
        JsonNode value = fault.getInstanceNode();
        String limit = fault.getSchemaNode().asText();
        return switch (fault.getType()) {
            case "required" -> StatusCause.required(child(path, fault.getProperty()));
            case "enum" -> {
                String supported = fault.getSchemaNode()
                        .valueStream()
                        .map(JsonNode::toString)
                        .collect(joining(", "));
                String why = "Unsupported value: \"" + value.asText() + "\": supported values: " + supported;
                yield new StatusCause("FieldValueNotSupported", path, why);
            }
            case "maxItems" -> StatusCause.tooMany(path, value.size(), Integer.parseInt(limit));
            case "maxLength" -> StatusCause.tooLong(path, Integer.parseInt(limit));
            case "minLength" ->
                custom
                        ? outside(path, value, "should be at least " + limit + " chars long")
                        : StatusCause.required(path);
            case "minimum" ->
                custom
                        ? outside(path, value, "should be greater than or equal to " + limit)
                        : StatusCause.invalid(path, value.toString(), "must be greater than or equal to " + limit);
            case "exclusiveMinimum" -> StatusCause.invalid(path, value.toString(), "must be greater than " + limit);
            case "maximum" -> outside(path, value, "should be less than or equal to " + limit);
            case "format" ->
                new StatusCause(
                        "FieldValueTypeInvalid",
                        path,
                        outside(path, value, "must be of type " + limit).message() + ": " + value);
            case "propertyNames" ->
                StatusCause.text(path + "[" + fault.getProperty() + "]", fault.getProperty(), "must be a valid name");
            case "pattern" -> outside(path, value, "should match '" + limit + "'");
            default -> outside(path, value, fault.getError());
        };
    }

    /** The server validates a status that has its own endpoint by itself: the path in the words starts there. */
    private StatusCause outside(String path, JsonNode value, String why) {
        String shown = statusApart && path.startsWith("status.") ? path.substring("status.".length()) : path;
        return StatusCause.invalid(path, value.toString(), shown + " in body " + why);
    }

    /** A path as Kubernetes writes it: items and keys that users choose stand in brackets. */
    private String path(JsonNodePath location) {
        String path = "";
        JsonNode schema = root;
        for (int i = 0; i < location.getNameCount(); i++) {
            String name = String.valueOf(location.getElement(i));
            boolean item = schema.has("items");
            boolean field = !item && schema.path("properties").has(name);
            path = field ? child(path, name) : path + "[" + name + "]";
            schema = field ? schema.at("/properties/" + name) : schema.path(item ? "items" : "additionalProperties");
        }
        return path;
    }

    /** Does something at a node of a tree, which may change what is below it. */
    private interface Visit {
        void at(JsonNode schema, JsonNode node, String path);
    }

    private static void walk(JsonNode schema, JsonNode node, String path, Visit visit) {
        visit.at(schema, node, path);
        if (node.isArray() && schema.has("items")) {
            for (int i = 0; i < node.size(); i++) {
                walk(schema.path("items"), node.get(i), path + "[" + i + "]", visit);
            }
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            JsonNode known = schema.path("properties").path(field.getKey());
            if (known.isObject()) {
                walk(known, field.getValue(), child(path, field.getKey()), visit);
            } else if (schema.has("additionalProperties")) {
                walk(schema.path("additionalProperties"), field.getValue(), path + "[" + field.getKey() + "]", visit);
            }
        }
    }

    private static boolean fits(String type, JsonNode node) {
        return switch (type) {
            case "object" -> node.isObject();
            case "array" -> node.isArray();
            case "string" -> node.isTextual();
            case "integer" -> node.isIntegralNumber() && node.canConvertToLong();
            case "boolean" -> node.isBoolean();
            default -> true;
        };
    }

    private static String child(String path, String field) {
        return path.isEmpty() ? field : path + "." + field;
    }

    private static JsonNode inlined(JsonNode schema) {
        if (schema.has("$ref")) {
            return inlined(BUILT_IN.path(schema.path("$ref").asText()));
        }
        JsonNode copy = schema.deepCopy();
        if (copy instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(inlined(field.getValue())));
        }
        return copy;
    }
}
