package io.imexagent.agent.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import java.time.Instant;

/** Writes documents as text: objects with {@code at}, the time of the described state in RFC 3339. */
public final class Documents {

    private Documents() {}

    /** The document with its time as the first field. */
    public static ObjectNode dated(Instant at, ObjectNode document) {
        return JsonNodeFactory.instance.objectNode().put("at", at.toString()).setAll(document);
    }

    /** The document as indented JSON, ending with a line break. */
    public static String json(Instant at, ObjectNode document) {
        return dated(at, document).toPrettyString() + "\n";
    }

    /** The document as YAML, ending with a line break. Texts are quoted: YAML reads a bare PCI address as a number. */
    public static String yaml(Instant at, ObjectNode document) {
        return object(dated(at, document));
    }

    /** An object of the cluster as YAML, for {@code kubectl apply}, ending with a line break. */
    static String object(JsonNode object) {
        var factory = YAMLFactory.builder()
                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                .disable(YAMLGenerator.Feature.SPLIT_LINES)
                .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
                .build();
        try {
            return new ObjectMapper(factory).writeValueAsString(object);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a tree cannot fail to be written", impossible);
        }
    }
}
