package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** YAML, which JSON is too, as trees. */
public final class Yaml {
    private static final ObjectMapper MAPPER = new ObjectMapper(new YAMLFactory());

    private Yaml() {}

    /** A document that stands beside a class. */
    public static JsonNode resource(Class<?> owner, String name) {
        try (InputStream file = Objects.requireNonNull(owner.getResourceAsStream(name), name)) {
            return MAPPER.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name, e);
        }
    }

    /** The documents of a file. */
    public static List<JsonNode> documents(Path file) throws IOException {
        try (MappingIterator<JsonNode> documents =
                MAPPER.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll();
        } catch (IOException e) {
            throw new IOException("cannot read objects from " + file + ": " + e.getMessage(), e);
        }
    }

    /** The bytes of a document. */
    public static byte[] bytes(JsonNode tree) throws IOException {
        return MAPPER.writeValueAsBytes(tree);
    }
}
