package io.imexagent.testing.api.object;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamWriteConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** JSON trees and bytes, and YAML. */
public final class Json {
    /** As deep as the real server reads. */
    private static final int DEEPEST = 10_000;

    private static final ObjectMapper MAPPER = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEEPEST).build())
            .streamWriteConstraints(
                    StreamWriteConstraints.builder().maxNestingDepth(DEEPEST).build())
            .build());

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private Json() {}

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** The bytes of a tree: compact, UTF-8. */
    public static byte[] bytes(JsonNode tree) {
        try {
            return MAPPER.writeValueAsBytes(tree);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree in memory cannot be written", e);
        }
    }

    /** The tree of some bytes. */
    public static JsonNode parse(byte[] bytes) throws IOException {
        return MAPPER.readTree(bytes);
    }

    /** The object that a client sent; other bytes are a refusal with 400. */
    public static ObjectNode sent(byte[] body) {
        try {
            if (MAPPER.readTree(body) instanceof ObjectNode object) {
                return object;
            }
        } catch (IOException e) {
            throw StatusException.badRequest("the object provided is unrecognized: " + e.getMessage());
        }
        throw StatusException.badRequest("the object provided is unrecognized (must be of type Object)");
    }

    /** The object in a text that stands in this program; {@link IllegalArgumentException} where it is none. */
    public static ObjectNode literal(String text) {
        try {
            if (MAPPER.readTree(text) instanceof ObjectNode object) {
                return object;
            }
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("not JSON: " + text, e);
        }
        throw new IllegalArgumentException("not a JSON object: " + text);
    }

    /** The child object of that name, made where it is missing. */
    public static ObjectNode child(ObjectNode parent, String name) {
        return parent.get(name) instanceof ObjectNode object ? object : parent.putObject(name);
    }

    /** The YAML document that stands beside a class. */
    public static JsonNode resource(Class<?> owner, String name) {
        try (InputStream file = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
            return YAML.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    /** The documents of a file of YAML, which JSON is too. */
    public static List<JsonNode> documents(Path file) throws IOException {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new IOException("cannot read objects from " + file + ": " + e.getMessage(), e);
        }
    }

    /** The bytes of a tree as YAML. */
    public static byte[] yaml(JsonNode tree) throws IOException {
        return YAML.writeValueAsBytes(tree);
    }
}
