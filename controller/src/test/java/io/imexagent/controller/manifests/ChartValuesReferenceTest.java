package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of values in the chart's README, made of their schema and their defaults. */
class ChartValuesReferenceTest {

    private static final String BEGIN = "<!-- values: make docs -->\n";
    private static final String END = "<!-- end of values -->\n";

    @Test
    void theTableIsMadeOfTheSchema() throws IOException {
        Path readme = Chart.FOLDER.resolve("README.md");
        String before = Files.readString(readme);
        String after = before.substring(0, before.indexOf(BEGIN) + BEGIN.length())
                + table()
                + before.substring(before.indexOf(END));
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(readme, after);
        }

        assertThat(readme)
                .as("the table is made of the schema; write it anew with: make docs")
                .hasContent(after);
    }

    private static String table() throws IOException {
        JsonNode schema = new ObjectMapper()
                .readTree(Chart.FOLDER.resolve("values.schema.json").toFile());
        JsonNode values = Cluster.parse(Files.readString(Chart.FOLDER.resolve("values.yaml")))
                .getFirst();
        List<String> lines = new ArrayList<>(List.of("| value | default | what it means |", "|---|---|---|"));
        rows("", schema, values, lines);
        return String.join("\n", lines) + "\n";
    }

    /** A value with a description is a row; what has values of its own and no description is a section of the file. */
    private static void rows(String path, JsonNode schema, JsonNode value, List<String> lines) {
        if (schema.has("description")) {
            assertThat(value.isMissingNode()).as(path + " in values.yaml").isFalse();
            lines.add("| `" + path + "` | `" + shown(value) + "` | "
                    + schema.path("description").asText() + " |");
            return;
        }
        schema.path("properties")
                .properties()
                .forEach(entry -> rows(
                        path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                        entry.getValue(),
                        value.path(entry.getKey()),
                        lines));
    }

    private static String shown(JsonNode value) {
        boolean plain = value.isValueNode() && !value.asText().isEmpty();
        return plain ? value.asText() : value.toString();
    }
}
