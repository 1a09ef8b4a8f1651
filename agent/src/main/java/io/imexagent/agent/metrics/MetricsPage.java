package io.imexagent.agent.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** The agent's own metrics as Prometheus takes them, read from the meters with each page. */
final class MetricsPage implements MultiCollector {

    private final Meters meters;

    MetricsPage(Meters meters) {
        this.meters = meters;
    }

    @Override
    public MetricSnapshots collect() {
        var snapshots = new ArrayList<MetricSnapshot>();
        for (MetricCatalogue metric : MetricCatalogue.values()) {
            Map<Labels, Meters.Series> series = new TreeMap<>();
            meters.of(metric).forEach((values, one) -> {
                if (!isAbsent(one)) {
                    series.put(Labels.of(metric.labels(), values), one);
                }
            });
            if (!series.isEmpty()) {
                snapshots.add(snapshot(metric, series));
            }
        }
        return new MetricSnapshots(snapshots);
    }

    private static MetricSnapshot snapshot(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        return switch (metric.kind()) {
            case COUNTER -> counter(metric, series);
            case GAUGE -> gauge(metric, series);
            case INFO -> info(metric, series);
            case HISTOGRAM -> histogram(metric, series);
            case SUMMARY -> summary(metric, series);
        };
    }

    private static MetricSnapshot counter(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        var snapshot = CounterSnapshot.builder().name(metric.base()).help(metric.help());
        series.forEach((labels, one) -> snapshot.dataPoint(CounterSnapshot.CounterDataPointSnapshot.builder()
                .labels(labels)
                .value(value(one))
                .build()));
        return snapshot.build();
    }

    private static MetricSnapshot gauge(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        var snapshot = GaugeSnapshot.builder().name(metric.base()).help(metric.help());
        series.forEach((labels, one) -> snapshot.dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(labels)
                .value(value(one))
                .build()));
        return snapshot.build();
    }

    private static MetricSnapshot info(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        var snapshot = InfoSnapshot.builder().name(metric.base()).help(metric.help());
        series.keySet()
                .forEach(labels -> snapshot.dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder()
                        .labels(labels)
                        .build()));
        return snapshot.build();
    }

    private static MetricSnapshot histogram(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        var snapshot = HistogramSnapshot.builder().name(metric.base()).help(metric.help());
        series.forEach((labels, one) -> {
            Meters.Durations durations = durations(one);
            snapshot.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                    .labels(labels)
                    .classicHistogramBuckets(ClassicHistogramBuckets.of(Meters.Durations.bounds(), durations.counts()))
                    .sum(durations.seconds())
                    .build());
        });
        return snapshot.build();
    }

    private static MetricSnapshot summary(MetricCatalogue metric, Map<Labels, Meters.Series> series) {
        var snapshot = SummarySnapshot.builder().name(metric.base()).help(metric.help());
        series.forEach((labels, one) -> {
            Meters.Durations durations = durations(one);
            snapshot.dataPoint(SummarySnapshot.SummaryDataPointSnapshot.builder()
                    .labels(labels)
                    .count(Arrays.stream(durations.counts()).sum())
                    .sum(durations.seconds())
                    .build());
        });
        return snapshot.build();
    }

    private static boolean isAbsent(Meters.Series series) {
        return series instanceof Meters.Gauge && Double.isNaN(value(series));
    }

    private static double value(Meters.Series series) {
        return switch (series) {
            case Meters.Count count -> count.value();
            case Meters.Gauge gauge -> gauge.value().getAsDouble();
            case Meters.Durations durations -> throw new IllegalArgumentException("durations are no single value");
        };
    }

    private static Meters.Durations durations(Meters.Series series) {
        return switch (series) {
            case Meters.Durations durations -> durations;
            case Meters.Count count -> throw new IllegalArgumentException("a count is no duration");
            case Meters.Gauge gauge -> throw new IllegalArgumentException("a gauge is no duration");
        };
    }
}
