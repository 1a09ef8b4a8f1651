package io.imexagent.agent.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;

/** Writes documents as text. */
public final class Documents {

    private Documents() {}

    /** The document as indented JSON, ending with a line break. */
    public static String json(JsonNode document) {
        return document.toPrettyString() + "\n";
    }

    /** The document as YAML, ending with a line break. Texts are in quotes: a PCI address without them is a number. */
    public static String yaml(JsonNode document) {
        var factory = YAMLFactory.builder()
                .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
                .disable(YAMLGenerator.Feature.SPLIT_LINES)
                .enable(YAMLGenerator.Feature.INDENT_ARRAYS_WITH_INDICATOR)
                .build();
        try {
            return new ObjectMapper(factory).writeValueAsString(document);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException("a tree cannot fail to be written", impossible);
        }
    }
}
