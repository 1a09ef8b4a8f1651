package io.imexagent.agent.metrics;

import io.imexagent.rdma.inventory.Port;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** The RDMA devices as metrics. No label names a device: there can be hundreds of functions, whose names change. */
final class RdmaMetrics implements RdmaObserver {

    private final Meters meters;
    private final Timer scans;
    private final Counter failures;
    private final AtomicReference<Instant> read;

    RdmaMetrics(Meters meters, Clock clock) {
        this.meters = meters;
        this.scans = meters.timer(Metric.RDMA_SCAN_SECONDS);
        this.failures = meters.counter(Metric.RDMA_SCAN_FAILURES_TOTAL);
        this.read = new AtomicReference<>(clock.instant());
        meters.seconds(Metric.RDMA_AGE_SECONDS, () -> Duration.between(read.get(), clock.instant()));
    }

    @Override
    public void read(RdmaView view, Duration took) {
        scans.record(took);
        read.set(view.takenAt());
        meters.count(
                Metric.RDMA_NICS,
                view.selection().verdicts().stream()
                        .map(verdict -> List.of(verdict.nicClass().text())));
        meters.count(
                Metric.RDMA_DROPPED_NICS,
                view.selection().verdicts().stream()
                        .flatMap(verdict -> verdict.dropped().stream())
                        .map(dropped -> List.of(dropped.rule().text())));
        meters.rows(Metric.RDMA_RAILS, Map.of(List.of(), (double)
                view.selection().rails().size()));
        meters.count(
                Metric.RDMA_PORTS,
                view.inventory().readNics().stream()
                        .flatMap(nic -> nic.ports().stream())
                        .map(RdmaMetrics::port));
        meters.count(
                Metric.RDMA_GPUDIRECT,
                Stream.of(List.of(view.inventory().gpuDirect().text())));
        meters.findings(Metric.RDMA_FINDINGS, view.selection().findings());
    }

    @Override
    public void failed() {
        failures.increment();
    }

    private static List<String> port(Port port) {
        return List.of(
                port.linkLayer().text().toLowerCase(Locale.ROOT),
                port.state().text().toLowerCase(Locale.ROOT));
    }
}
