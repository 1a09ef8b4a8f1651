package io.imexagent.agent.metrics;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.inventory.Nic;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.selection.Choice;
import io.imexagent.rdma.watch.RdmaObserver;
import io.imexagent.rdma.watch.RdmaView;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The RDMA side as metrics. No label names a device: there can be hundreds of functions, and their names change. */
final class RdmaMetrics implements RdmaObserver {

    private final Meters meters;
    private final Meters.Durations scans;
    private final Meters.Count failures;
    private final AtomicReference<Instant> read;

    RdmaMetrics(Meters meters, Clock clock) {
        this.meters = meters;
        this.scans = meters.durations(MetricCatalogue.RDMA_SCAN);
        this.failures = meters.counter(MetricCatalogue.RDMA_SCAN_FAILURES);
        this.read = new AtomicReference<>(clock.instant());
        meters.gauge(
                MetricCatalogue.RDMA_AGE,
                () -> Duration.between(read.get(), clock.instant()).toMillis() / 1000.0);
    }

    @Override
    public void read(RdmaView view, Duration took) {
        scans.record(took);
        read.set(view.inventory().takenAt());
        meters.rows(
                MetricCatalogue.RDMA_NICS,
                counted(view.selection().verdicts().stream()
                        .map(verdict -> List.of(verdict.nicClass().text()))));
        meters.rows(
                MetricCatalogue.RDMA_DROPPED,
                counted(view.selection().verdicts().stream()
                        .flatMap(verdict -> verdict.choice() instanceof Choice.Dropped dropped
                                ? Stream.of(List.of(dropped.rule().text()))
                                : Stream.of())));
        meters.rows(MetricCatalogue.RDMA_RAILS, Map.of(List.of(), (double)
                view.selection().rails().size()));
        meters.rows(
                MetricCatalogue.RDMA_PORTS,
                counted(view.inventory().nics().stream()
                        .flatMap(RdmaMetrics::nic)
                        .flatMap(nic -> nic.ports().stream())
                        .map(RdmaMetrics::port)));
        meters.rows(
                MetricCatalogue.RDMA_GPU_DIRECT,
                Map.of(List.of(view.inventory().gpuDirect().text()), 1.0));
        meters.rows(
                MetricCatalogue.RDMA_FINDINGS,
                view.selection().findings().stream()
                        .map(RdmaMetrics::finding)
                        .distinct()
                        .collect(Collectors.toMap(Function.identity(), labels -> 1.0)));
    }

    @Override
    public void failed() {
        failures.increment();
    }

    private static Stream<Nic> nic(NicReading reading) {
        return reading instanceof NicReading.Read one ? Stream.of(one.nic()) : Stream.of();
    }

    private static List<String> port(Port port) {
        return List.of(
                port.linkLayer().text().toLowerCase(Locale.ROOT),
                port.state().text().toLowerCase(Locale.ROOT));
    }

    private static List<String> finding(Finding finding) {
        return List.of(finding.code(), finding.severity().name().toLowerCase(Locale.ROOT));
    }

    private static Map<List<String>, Double> counted(Stream<List<String>> rows) {
        return rows.collect(Collectors.groupingBy(Function.identity(), Collectors.summingDouble(row -> 1)));
    }
}
