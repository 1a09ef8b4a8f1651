package io.imexagent.agent.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.fake.Configs;
import io.imexagent.rdma.fixture.FixtureNic;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RdmaMetricsTest {

    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-21T10:00:30Z"), ZoneOffset.UTC);

    @TempDir
    Path folder;

    @Test
    void showsWhatTheNicsAreForAndWhyTheyAreNotOffered() throws IOException {
        RdmaTree tree = RdmaTree.gb200(folder.resolve("host")).change("mlx5_1", FixtureNic::withoutAddress);
        var metrics = metrics();

        metrics.rdma().read(view(tree), Duration.ofMillis(7));

        assertThat(lines(metrics))
                .contains(
                        "imex_agent_rdma_nics{class=\"rail\"} 3.0",
                        "imex_agent_rdma_nics{class=\"uplink\"} 2.0",
                        "imex_agent_rdma_nics{class=\"storage\"} 2.0",
                        "imex_agent_rdma_nics{class=\"unusable\"} 1.0",
                        "imex_agent_rdma_rails 3.0",
                        "imex_agent_rdma_dropped_nics{rule=\"uplink\"} 2.0",
                        "imex_agent_rdma_dropped_nics{rule=\"storage\"} 2.0",
                        "imex_agent_rdma_dropped_nics{rule=\"unusable\"} 1.0",
                        "imex_agent_rdma_ports{link_layer=\"ethernet\",state=\"active\"} 7.0",
                        "imex_agent_rdma_ports{link_layer=\"ethernet\",state=\"down\"} 1.0",
                        "imex_agent_rdma_gpudirect{method=\"dma-buf\"} 1.0",
                        "imex_agent_rdma_age_seconds 0.0",
                        "imex_agent_rdma_scan_seconds_count 1",
                        "imex_agent_rdma_scan_seconds_sum 0.007",
                        "imex_agent_rdma_scan_failures_total 0.0");
    }

    @Test
    void hasAsManySeriesForManyNicsAsForFew() throws IOException {
        RdmaTree tree = RdmaTree.gb200(folder.resolve("host"));
        var metrics = metrics();
        RdmaObserver observer = metrics.rdma();
        observer.read(view(tree), Duration.ofMillis(7));
        long few = series(metrics);

        for (int nic = 0; nic < 60; nic++) {
            tree.add(new FixtureNic("mlx5_" + (10 + nic), "%04x:03:00.0".formatted(0x100 + nic), "rail" + nic)
                    .slots(4)
                    .ipv4("10.2.%d.1/31".formatted(nic)));
        }
        observer.read(view(tree), Duration.ofMillis(7));

        assertThat(lines(metrics)).contains("imex_agent_rdma_rails 64.0");
        assertThat(series(metrics)).isEqualTo(few);
    }

    @Test
    void countsFailuresAndDropsSeriesOfWhatIsGone() throws IOException {
        RdmaTree tree = RdmaTree.gb200(folder.resolve("host"));
        var metrics = metrics();
        RdmaObserver observer = metrics.rdma();
        observer.read(view(tree.without("sys/class/misc/rdma_cm")), Duration.ofMillis(7));
        assertThat(lines(metrics))
                .contains("imex_agent_rdma_findings{code=\"rdma-cm-missing\",severity=\"warning\"} 1.0");

        observer.failed();
        observer.read(view(tree.file("sys/class/misc/rdma_cm/dev", "10:121")), Duration.ofMillis(7));

        assertThat(lines(metrics))
                .contains("imex_agent_rdma_scan_failures_total 1.0")
                .noneMatch(line -> line.contains("rdma-cm-missing"));
    }

    @Test
    void areNotThereBeforeSomebodyLooksAfterRdma() {
        assertThat(lines(metrics())).noneMatch(line -> line.startsWith("imex_agent_rdma_"));
    }

    private AgentMetrics metrics() {
        return new AgentMetrics(Configs.under(folder, false), "1", "0123abc", CLOCK);
    }

    private static RdmaView view(RdmaTree tree) throws IOException {
        return RdmaView.read(
                new RdmaProbe(new RootedFiles(tree.root())),
                CLOCK,
                tree.gpus(),
                new KnownAddresses.ReadAddresses(Set.of(), Optional.empty()),
                Settings.OFF);
    }

    private static long series(AgentMetrics metrics) {
        return lines(metrics).stream()
                .filter(line -> line.startsWith("imex_agent_rdma_"))
                .count();
    }

    private static List<String> lines(AgentMetrics metrics) {
        return metrics.page().lines().toList();
    }
}
