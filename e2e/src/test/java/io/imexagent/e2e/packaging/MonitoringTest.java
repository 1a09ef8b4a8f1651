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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is shipped for Prometheus and Grafana fits the metrics that there are; promtool checks the rest. */
class MonitoringTest {
    private static final Path ROOT = Checkout.find().root();
    private static final Path FILES = ROOT.resolve("packaging/prometheus");

    /** Names of recorded series have colons. */
    private static final Pattern OWN =
            Pattern.compile("(?<![\\w:])(?:imex_agent|nvidia_dra|process|jvm)_[a-z0-9_]+(?![\\w:])");

    private static final Pattern RECORDED = Pattern.compile("imex_agent:[a-z0-9_:]+");
    private static final Pattern DOCUMENTED = Pattern.compile("^\\| `([a-z0-9_]+)` \\|", Pattern.MULTILINE);
    private static final Pattern CODES = Pattern.compile("(?:\\bcode|error_type)=~?\"([a-z0-9_|-]+)\"");
    private static final Pattern ALERT_ROW =
            Pattern.compile("^\\| <a id=\"(\\w+)\"></a>`(Imex\\w+)` \\|", Pattern.MULTILINE);

    /** The page of the alerts' links, until somebody says where it is. */
    private static final String PLACEHOLDER = "https://runbooks.invalid/alerts";

    private static final Pattern REPLACING = Pattern.compile("^sed .*", Pattern.MULTILINE);

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
    void everyAlertSaysHowBadItIsWhatItIsAndWhereItsRowInTheDocsIs() throws IOException {
        Map<String, String> rows = ALERT_ROW
                .matcher(Files.readString(ROOT.resolve("docs/alerts.md")))
                .results()
                .collect(Collectors.toMap(row -> row.group(2), row -> PLACEHOLDER + "#" + row.group(1)));
        Map<String, String> runbooks = new TreeMap<>();
        for (JsonNode group : yaml("rules/alerts.yaml").path("groups")) {
            for (JsonNode rule : group.path("rules")) {
                String alert = rule.path("alert").asText();
                JsonNode annotations = rule.path("annotations");
                assertThat(rule.at("/labels/severity").asText()).as(alert).isIn("critical", "warning", "info");
                assertThat(annotations.path("summary").asText()).as(alert).isNotBlank();
                assertThat(annotations.path("description").asText()).as(alert).isNotBlank();
                runbooks.put(alert, annotations.path("runbook_url").asText());
            }
        }

        assertThat(runbooks).isEqualTo(rows);
    }

    @Test
    void theCommandOfTheReadmeReplacesThePlaceholderEverywhere(@TempDir Path copy) throws Exception {
        Matcher command = REPLACING.matcher(text("README.md"));
        assertThat(command.find()).isTrue();
        String script = "cp -r '" + FILES + "/.' . && " + command.group() + " && cat rules/alerts.yaml tests/*.yaml";
        Path after = copy.resolve("after");
        Process shell = new ProcessBuilder("sh", "-c", script)
                .directory(copy.toFile())
                .redirectErrorStream(true)
                .redirectOutput(after.toFile())
                .start();

        assertThat(shell.waitFor()).as(Files.readString(after)).isZero();
        assertThat(text("rules/alerts.yaml")).contains(PLACEHOLDER);
        assertThat(Files.readString(after))
                .doesNotContain("runbooks.invalid")
                .contains("runbook_url: 'https://git.example/imex-agent/docs/alerts.md#imexagentdown'");
    }

    @Test
    void everyCodeThatARuleAsksForIsDocumented() throws IOException {
        String docs = Files.readString(ROOT.resolve("docs/troubleshooting.md"))
                + Files.readString(ROOT.resolve("docs/rdma.md"));
        List<String> codes = CODES.matcher(text("rules/alerts.yaml"))
                .results()
                .flatMap(match -> Arrays.stream(match.group(1).split("\\|", -1)))
                .toList();

        assertThat(codes)
                .hasSizeGreaterThan(20)
                .allSatisfy(code -> assertThat(docs).contains("`" + code + "`"));
    }

    @Test
    void everyPanelAnswersAQuestionAndCanBeReadForACluster() throws IOException {
        for (JsonNode panel : panels()) {
            String title = panel.path("title").asText();
            if (panel.path("type").asText().equals("row")) {
                continue;
            }
            assertThat(panel.path("description").asText()).as(title).contains("?");
            assertThat(panel.at("/fieldConfig/defaults/unit").asText())
                    .as(title)
                    .isNotEmpty();
            assertThat(panel.findValuesAsText("expr"))
                    .as(title)
                    .isNotEmpty()
                    .allMatch(expression -> expression.contains("cluster=~\"$cluster\""));
            assertThat(panel.findValues("datasource"))
                    .as(title)
                    .allMatch(source -> source.path("uid").asText().equals("${datasource}"));
        }
    }

    @Test
    void thePanelsOfTheDashboardAreToldApartAndDoNotOverlap() throws IOException {
        JsonNode panels = panels();

        assertThat(panels)
                .extracting(panel -> panel.path("id").asInt())
                .doesNotHaveDuplicates()
                .hasSizeGreaterThan(20);
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

    private static JsonNode panels() throws IOException {
        return dashboard().path("panels");
    }

    private static JsonNode dashboard() throws IOException {
        return Json.parse(Files.readAllBytes(FILES.resolve("dashboard.json")));
    }

    private static List<String> expressions() throws IOException {
        JsonNode dashboard = dashboard();
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
