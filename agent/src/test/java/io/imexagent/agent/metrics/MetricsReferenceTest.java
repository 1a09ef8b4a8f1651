package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsReferenceTest {

    @Test
    void theCheckedInReferenceIsCurrent() throws IOException {
        Path document = Path.of(System.getProperty("basedir", "."), "..", "docs", "metrics.md");
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(document, MetricsReference.markdown());
        }

        assertThat(document)
                .as("docs/metrics.md is made from the code; write it again with: make docs")
                .hasContent(MetricsReference.markdown());
    }

    @Test
    void theReferenceNamesEveryMetricAndLabel() {
        String reference = MetricsReference.markdown();

        assertThat(Metric.values()).allSatisfy(metric -> {
            assertThat(reference).contains("`" + metric.series + "`", metric.help);
            assertThat(metric.labels).allSatisfy(label -> assertThat(reference).contains("`" + label + "`"));
        });
    }
}
