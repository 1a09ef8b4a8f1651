package io.imexagent.agent.metrics;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The page that Prometheus reads: the agent's own metrics and those of its JVM. Costs a tenth of a second to make. */
final class PrometheusPage {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    PrometheusPage(Meters meters) {
        registry.getPrometheusRegistry().register(new MetricsPage(meters));
        List<MeterBinder> process = List.of(
                new JvmMemoryMetrics(),
                new JvmThreadMetrics(),
                new ClassLoaderMetrics(),
                new ProcessorMetrics(),
                new UptimeMetrics(),
                new FileDescriptorMetrics());
        process.forEach(binder -> binder.bindTo(registry));
        ManagementFactory.getGarbageCollectorMXBeans().forEach(this::bind);
    }

    String text() {
        return registry.scrape();
    }

    /** The collector's own totals, unlike Micrometer's listener, tell of the time before the first page too. */
    private void bind(GarbageCollectorMXBean collector) {
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
