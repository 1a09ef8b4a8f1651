package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the chart's schema has of the value {@code configuration}, made of the agent's keys. */
class ChartSchemaReferenceTest {

    private static final Path SCHEMA =
            Path.of(System.getProperty("basedir", "."), "..", "packaging/kubernetes/chart/values.schema.json");
    private static final String BEGIN = "\n    \"configuration\": {\n";
    private static final String END = "\n    },\n";
    private static final ObjectMapper JSON = new ObjectMapper();

    @Test
    void theSchemaHasEachKeyOfTheConfiguration() throws IOException {
        String before = Files.readString(SCHEMA);
        int begin = before.indexOf(BEGIN) + BEGIN.length();
        JsonNode description = JSON.readTree(before).at("/properties/configuration/description");
        Map<String, Object> keys = new TreeMap<>();
        ConfigKeys.ALL.forEach(key -> put(keys, key.path(), value(key)));
        Stream.of(PublicName.values()).forEach(name -> {
            put(keys, name.inChart(), value(name));
            if (ConfigKeys.find(name.path()).isEmpty()) {
                put(keys, name.path(), value(name));
            }
        });
        String after = before.substring(0, begin)
                + "      \"description\": " + description + ",\n" + object(keys, "      ")
                + before.substring(before.indexOf(END, begin));
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(SCHEMA, after);
        }

        assertThat(JSON.readTree(after)
                        .at("/properties/configuration/properties/imex/properties/channels/maximum")
                        .asInt())
                .isPositive();
        assertThat(SCHEMA)
                .as("the schema is made of the agent's keys; write it again with: make docs")
                .hasContent(after);
    }

    @SuppressWarnings("unchecked")
    private static void put(Map<String, Object> section, String path, String value) {
        String[] names = path.split("\\.", 2);
        if (names.length == 1) {
            section.put(path, value);
        } else {
            put((Map<String, Object>) section.computeIfAbsent(names[0], any -> new TreeMap<>()), names[1], value);
        }
    }

    @SuppressWarnings("unchecked")
    private static String object(Map<String, Object> section, String indent) {
        List<String> members = new ArrayList<>();
        section.forEach((name, value) -> members.add(indent + "  \"" + name + "\": "
                + (value instanceof Map
                        ? "{\n" + object((Map<String, Object>) value, indent + "    ") + "\n" + indent + "  }"
                        : value)));
        return indent + "\"type\": \"object\",\n" + indent + "\"additionalProperties\": false,\n" + indent
                + "\"properties\": {\n" + String.join(",\n", members) + "\n" + indent + "}";
    }

    private static String value(ConfigKey key) {
        String facts = switch (key.kind) {
            case SWITCH -> "\"enum\": [true, false, \"true\", \"false\"]";
            case NUMBER ->
                "\"type\": [\"integer\", \"string\"], \"pattern\": \"^-?[0-9]+$\", \"minimum\": " + key.least()
                        + ", \"maximum\": " + key.most();
            case DURATION ->
                "\"type\": \"string\", \"pattern\": \"^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$\", \"minLength\": 2";
            case PATH -> "\"type\": \"string\", \"pattern\": \"^/\"";
            case CHOICE -> "\"enum\": " + choices(key);
            case LIST -> "\"type\": [\"array\", \"string\"], \"items\": { \"type\": \"string\" }";
            case TEXT -> "\"type\": \"string\"";
        };
        return "{ \"description\": " + text(key.meaning()) + ", " + facts + " }";
    }

    private static String value(PublicName name) {
        return "{ \"description\": " + text(name.meaning()) + ", "
                + (name.choices().isEmpty() ? "\"type\": \"string\"" : "\"enum\": " + text(name.choices())) + " }";
    }

    /** The words for it; a key that the public driver has by the same name takes the driver's words too. */
    private static String choices(ConfigKey key) {
        return text(Stream.concat(
                        key.choices().stream(),
                        Stream.of(PublicName.values())
                                .filter(name -> name.path().equals(key.path()))
                                .flatMap(name -> name.choices().stream()))
                .toList());
    }

    private static String text(Object value) {
        try {
            return JSON.writeValueAsString(value).replace("\",\"", "\", \"");
        } catch (JsonProcessingException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
