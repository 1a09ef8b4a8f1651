package io.imexagent.controller.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ChartReferenceTest {

    @Test
    void theCheckedInTemplatesAreMadeFromTheManifests() throws IOException {
        Path folder = Cluster.checkout().resolve("packaging/kubernetes/chart/templates");
        Map<String, String> templates = Manifests.helmTemplates();
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.createDirectories(folder);
            for (Map.Entry<String, String> template : templates.entrySet()) {
                Files.writeString(folder.resolve(template.getKey()), template.getValue());
            }
        }

        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrderElementsOf(templates.keySet());
        }
        templates.forEach((name, text) -> assertThat(folder.resolve(name))
                .as("the chart is made from the manifests; write it anew with: make docs")
                .hasContent(text));
    }
}
