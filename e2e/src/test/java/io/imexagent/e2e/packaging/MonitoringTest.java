package io.imexagent.e2e.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.imexagent.e2e.process.Checkout;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is shipped for Prometheus and Grafana fits the metrics that there are; promtool checks the rest. */
class MonitoringTest {
    private static final Path ROOT = Checkout.find().root();
    private static final Path FILES = ROOT.resolve("packaging/prometheus");

    /** Names of recorded series have colons. */
    private static final Pattern OWN =
            Pattern.compile("(?<![\\w:])(?:imex_agent|nvidia_dra|process|jvm)_[a-z0-9_]+(?![\\w:])");

    private static final Pattern RECORDED = Pattern.compile("imex_agent:[a-z0-9_:]+");
    private static final Pattern DOCUMENTED = Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE);
    private static final Pattern ALERT_ROW = Pattern.compile("^\\| `(Imex\\w+)` \\|", Pattern.MULTILINE);

    @Test
    void everyMetricOfTheRulesExists() throws IOException {
        Set<String> used = names(OWN, text("rules/alerts.yaml") + text("rules/recording.yaml"));

        assertThat(used).hasSizeGreaterThan(12);
        assertThat(metrics()).containsAll(used);
    }

    @Test
    void everyMetricOfTheDashboardExists() throws IOException {
        Set<String> used = names(OWN, String.join("\n", expressions()));

        assertThat(used).hasSizeGreaterThan(15);
        assertThat(metrics()).containsAll(used);
    }

    @Test
    void everyRecordedSeriesThatIsUsedIsRecorded() throws IOException {
        Set<String> recorded = new TreeSet<>(yaml("rules/recording.yaml").findValuesAsText("record"));
        Set<String> used = names(RECORDED, text("rules/alerts.yaml") + String.join("\n", expressions()));

        assertThat(recorded).containsAll(used);
    }

    @Test
    void everyAlertHasARowInTheDocs() throws IOException {
        List<String> alerts = yaml("rules/alerts.yaml").findValuesAsText("alert");

        assertThat(names(ALERT_ROW, Files.readString(ROOT.resolve("docs/alerts.md"))))
                .containsExactlyInAnyOrderElementsOf(alerts);
    }

    @Test
    void thePanelsOfTheDashboardAreToldApartAndDoNotOverlap() throws IOException {
        JsonNode panels =
                Json.parse(Files.readAllBytes(FILES.resolve("dashboard.json"))).path("panels");

        assertThat(panels.findValues("id")).doesNotHaveDuplicates().hasSizeGreaterThan(20);
        Set<String> cells = new TreeSet<>();
        for (JsonNode panel : panels) {
            JsonNode place = panel.path("gridPos");
            for (int x = place.path("x").asInt();
                    x < place.path("x").asInt() + place.path("w").asInt();
                    x++) {
                assertThat(x).isBetween(0, 23);
                for (int y = place.path("y").asInt();
                        y < place.path("y").asInt() + place.path("h").asInt();
                        y++) {
                    assertThat(cells.add(x + "," + y))
                            .as(panel.path("title").asText())
                            .isTrue();
                }
            }
        }
    }

    private static List<String> expressions() throws IOException {
        JsonNode dashboard = Json.parse(Files.readAllBytes(FILES.resolve("dashboard.json")));
        List<String> expressions = new ArrayList<>(dashboard.findValuesAsText("expr"));
        dashboard
                .path("templating")
                .findValues("query")
                .forEach(query -> expressions.add(query.path("query").asText()));
        return expressions;
    }

    /** Names as /metrics has them: those of histograms and summaries with their suffixes too. */
    private static Set<String> metrics() throws IOException {
        return names(DOCUMENTED, Files.readString(ROOT.resolve("docs/metrics.md"))).stream()
                .flatMap(name -> List.of(name, name + "_bucket", name + "_sum", name + "_count").stream())
                .collect(Collectors.toSet());
    }

    private static Set<String> names(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(match -> match.groupCount() > 0 ? match.group(1) : match.group())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static JsonNode yaml(String file) throws IOException {
        return new YAMLMapper().readTree(text(file));
    }

    private static String text(String file) throws IOException {
        return Files.readString(FILES.resolve(file));
    }
}
