package io.imexagent.testing.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Files of objects: YAML with any number of documents, or JSON, which is YAML too. */
final class ManifestFiles {
    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private ManifestFiles() {}

    static List<JsonNode> read(Path file) throws IOException {
        try (MappingIterator<JsonNode> documents =
                YAML.readerFor(JsonNode.class).readValues(file.toFile())) {
            return documents.readAll().stream().filter(JsonNode::isObject).toList();
        } catch (IOException e) {
            throw new IOException("cannot read objects from " + file + ": " + e.getMessage(), e);
        }
    }
}
