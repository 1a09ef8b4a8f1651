package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Configs;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.rdma.fixture.Platform;
import io.imexagent.rdma.rails.RailTracker;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the agent counts on each platform is the input of a test of the alerts, which promtool runs: the rules must raise what
 * the platform's data say, and nothing else.
 */
class PlatformAlertsReferenceTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T10:00:30Z"), ZoneOffset.UTC);
    private static final Pattern GAUGE = Pattern.compile(
            "(imex_agent_rdma_(?:nics|dropped_nics|rails|ports|published|findings|gpudirect))(?:\\{(.*)})? ([0-9]+)\\.0");

    @TempDir
    Path folder;

    @Test
    void theCheckedInTestOfTheAlertsIsMadeOfThePlatforms() throws IOException {
        Path file =
                Path.of(System.getProperty("basedir", "."), "..", "packaging", "prometheus", "tests", "platforms.yaml");
        var test = new StringBuilder("""
                # Nodes of each platform with rdma.enabled, as they come. Made of rdma/src/test/resources/platforms: make docs.
                rule_files: [../rules/recording.yaml, ../rules/alerts.yaml]
                evaluation_interval: 1m
                tests:
                  - name: each platform raises what its data say, and nothing else
                    interval: 1m
                    input_series:
                """);
        var raised = new StringBuilder("""
                    promql_expr_test:
                      - expr: count by (node, alertname) (ALERTS{alertstate="firing"})
                        eval_time: 60m
                        exp_samples:
                """);
        for (String name : Platform.names()) {
            Platform platform = Platform.lay(name, folder.resolve(name));
            page(platform.view())
                    .lines()
                    .map(GAUGE::matcher)
                    .filter(Matcher::matches)
                    .forEach(line -> test.append("      - {series: '")
                            .append(line.group(1))
                            .append('{')
                            .append(line.group(2) == null ? "" : line.group(2) + ",")
                            .append("instance=\"%1$s\",node=\"%1$s\"}', values: '".formatted(name))
                            .append(line.group(3))
                            .append("x60'}\n"));
            platform.alerts()
                    .forEach(alert -> raised.append("          - {labels: '{alertname=\"%s\",node=\"%s\"}', value: 1}\n"
                            .formatted(alert, name)));
        }
        String text = test.append(raised).toString();
        if (Boolean.getBoolean("docs.regenerate")) {
            Files.writeString(file, text);
        }

        assertThat(file)
                .as(
                        "packaging/prometheus/tests/platforms.yaml is made of the platforms; write it again with: make docs")
                .hasContent(text);
    }

    private String page(RdmaView view) {
        var metrics = new AgentMetrics(Configs.under(folder.resolve("agent"), false), "1", "0123abc", CLOCK);
        var tracker = new RailTracker(
                () -> Optional.of(view), () -> Ledger.empty(Optional.empty()), () -> Platform.SETTINGS, "node", CLOCK);
        tracker.update();
        metrics.showRails(tracker::count);
        metrics.rdma().read(view, Duration.ofMillis(7));
        return metrics.page();
    }
}
