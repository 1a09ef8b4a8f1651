package io.imexagent.agent.metrics;

import io.imexagent.agent.metrics.Metric.MetricType;
import io.imexagent.core.inventory.Finding;
import io.imexagent.host.Posix;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusNamingConvention;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Micrometer's meters under the names of {@link Metric}, and the page that Prometheus reads. */
final class Meters {

    /** The public driver's nine buckets: 0.05 s, each further one twice as large. */
    private static final Duration[] BUCKETS = LongStream.range(0, 9)
            .mapToObj(doubled -> Duration.ofMillis(50L << doubled))
            .toArray(Duration[]::new);

    /** Names before the registry's convention, of which a native image has none, or only 0 and −1. */
    static final List<String> ON_HOTSPOT_ALONE =
            List.of("jvm.buffer", "jvm.classes", "jvm.memory.max", "jvm.threads.states");

    private static final String RESIDENT = "VmRSS:";

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new MetricsText(), Clock.SYSTEM);
    private final Map<Metric, MultiGauge> gauges = new EnumMap<>(Metric.class);
    private final Map<Metric, Map<List<String>, Double>> shown = new ConcurrentHashMap<>();
    private boolean complete;

    Meters() {
        registry.throwExceptionOnRegistrationFailure();
        // Micrometer reserves "_info" for metrics that are always 1; the public controller uses such a name for a
        // count.
        var convention = new PrometheusNamingConvention();
        String kept = Metric.NVIDIA_DRA_COMPUTE_DOMAIN_INFO.series;
        registry.config()
                .namingConvention((name, type, unit) -> name.equals(kept) ? name : convention.name(name, type, unit))
                // These names violate the Prometheus conventions that promtool checks.
                .meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"))
                .meterFilter(MeterFilter.denyNameStartsWith("system.cpu.count"));
        if (Posix.isNativeImage()) {
            ON_HOTSPOT_ALONE.forEach(name -> registry.config().meterFilter(MeterFilter.denyNameStartsWith(name)));
        }
    }

    /** The counter with these labels, the same one each time; its series exists with 0 from now on. */
    Counter counter(Metric metric, String... labels) {
        return Counter.builder(metric.series)
                .description(metric.help)
                .tags(tags(metric, List.of(labels)))
                .register(registry);
    }

    /** Increments a counter of rare events, which has no series before the first. */
    void increment(Metric metric, String... labels) {
        counter(metric, labels).increment();
    }

    /** The timer with these labels, the same one each time; its series exist with 0 from now on. */
    Timer timer(Metric metric, String... labels) {
        Timer.Builder timer =
                Timer.builder(metric.series).description(metric.help).tags(tags(metric, List.of(labels)));
        return (metric.kind == MetricType.HISTOGRAM ? timer.serviceLevelObjectives(BUCKETS) : timer).register(registry);
    }

    /** Adds a gauge whose value is read for each page; the page omits the series while the value is not a number. */
    void gauge(Metric metric, DoubleSupplier value, String... labels) {
        Gauge.builder(meter(metric), value::getAsDouble)
                .description(metric.help)
                .tags(tags(metric, List.of(labels)))
                .register(registry);
    }

    /** Adds a gauge of a time in seconds, read for each page. */
    void seconds(Metric metric, Supplier<Duration> time, String... labels) {
        gauge(metric, () -> time.get().toMillis() / 1000.0, labels);
    }

    void states(Metric metric, String driver, List<String> states, Supplier<String> present) {
        states.forEach(state -> gauge(metric, () -> present.get().equals(state) ? 1 : 0, driver, state));
    }

    /** Replaces all series of a gauge. A remaining series keeps its meter, so that no page misses it in between. */
    void rows(Metric metric, Map<List<String>, Double> rows) {
        synchronized (gauges) {
            shown.put(metric, Map.copyOf(rows));
            gauges.computeIfAbsent(metric, this::changing)
                    .register(rows.keySet().stream()
                            .<MultiGauge.Row<?>>map(
                                    labels -> MultiGauge.Row.of(tags(metric, labels), () -> value(metric, labels)))
                            .toList());
        }
    }

    private MultiGauge changing(Metric metric) {
        return MultiGauge.builder(meter(metric)).description(metric.help).register(registry);
    }

    private double value(Metric metric, List<String> labels) {
        return shown.getOrDefault(metric, Map.of()).getOrDefault(labels, Double.NaN);
    }

    /** Replaces all series of a gauge; the value of each is the number of its occurrences in {@code labels}. */
    void count(Metric metric, Stream<List<String>> labels) {
        rows(metric, labels.collect(Collectors.groupingBy(Function.identity(), Collectors.summingDouble(one -> 1))));
    }

    void findings(Metric metric, List<Finding> findings) {
        count(
                metric,
                findings.stream()
                        .map(finding ->
                                List.of(finding.code(), finding.severity().text()))
                        .distinct());
    }

    /** All metrics in the Prometheus text format 0.0.4. Metrics of the process begin with the first page. */
    synchronized String page() {
        if (!complete) {
            bindProcess(registry);
            complete = true;
        }
        return registry.scrape();
    }

    private static void bindProcess(MeterRegistry registry) {
        List.of(
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ClassLoaderMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics(),
                        new FileDescriptorMetrics())
                .forEach(binder -> binder.bindTo(registry));
        FunctionCounter.builder("process.cpu.seconds", ProcessHandle.current(), Meters::processorSeconds)
                .description("Processor time that the process has taken, in seconds.")
                .register(registry);
        Gauge.builder("process.resident.memory", () -> residentBytes(Path.of("/proc/self/status")))
                .description("Resident memory of the process, in bytes.")
                .baseUnit("bytes")
                .register(registry);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // Unlike Micrometer's listener, the collector's own totals include the time before the first page.
            FunctionTimer.builder(
                            "jvm.gc.collection",
                            collector,
                            GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime,
                            TimeUnit.MILLISECONDS)
                    .description("Collections of the garbage collector and the time that they took")
                    .tags("gc", collector.getName())
                    .register(registry);
        }
    }

    private static double processorSeconds(ProcessHandle process) {
        return process.info()
                .totalCpuDuration()
                .map(time -> time.toNanos() / 1e9)
                .orElse(Double.NaN);
    }

    /** {@code VmRSS} of a {@code /proc/<pid>/status} (proc(5)) in bytes; NaN if it is missing. */
    static double residentBytes(Path status) {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .findFirst()
                    .map(line ->
                            line.substring(RESIDENT.length()).replace("kB", "").strip())
                    .map(kilobytes -> Long.parseLong(kilobytes) * 1024.0)
                    .orElse(Double.NaN);
        } catch (IOException | NumberFormatException unreadable) {
            return Double.NaN;
        }
    }

    /** Omits gauges that are not a number, and the maxima that Micrometer adds to durations, which decay. */
    private static final class MetricsText extends PrometheusRegistry {

        @Override
        public MetricSnapshots scrape() {
            return new MetricSnapshots(
                    super.scrape().stream().flatMap(MetricsText::shown).toList());
        }

        private static Stream<MetricSnapshot> shown(MetricSnapshot family) {
            if (!(family instanceof GaugeSnapshot gauge)) {
                return Stream.of(family);
            }
            var present = gauge.getDataPoints().stream()
                    .filter(point -> !Double.isNaN(point.getValue()))
                    .toList();
            return present.isEmpty() || gauge.getMetadata().getName().endsWith("_max")
                    ? Stream.empty()
                    : Stream.of(new GaugeSnapshot(gauge.getMetadata(), present));
        }
    }

    /** The name for Micrometer, which recognizes an info by the ending {@code .info}. */
    private static String meter(Metric metric) {
        String name = metric.series;
        return metric.kind == MetricType.INFO ? name.substring(0, name.length() - "_info".length()) + ".info" : name;
    }

    private static Tags tags(Metric metric, List<String> values) {
        if (values.size() != metric.labels.size()) {
            throw new IllegalArgumentException(metric.series + " has the labels " + metric.labels);
        }
        return Tags.of(IntStream.range(0, values.size())
                .mapToObj(i -> Tag.of(metric.labels.get(i), values.get(i)))
                .toList());
    }
}
