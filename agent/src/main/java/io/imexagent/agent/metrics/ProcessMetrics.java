package io.imexagent.agent.metrics;

import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The process and its JVM as metrics. */
final class ProcessMetrics implements MeterBinder {

    private static final String RESIDENT = "VmRSS:";

    @Override
    public void bindTo(MeterRegistry registry) {
        List.of(
                        new JvmMemoryMetrics(),
                        new JvmThreadMetrics(),
                        new ClassLoaderMetrics(),
                        new ProcessorMetrics(),
                        new UptimeMetrics(),
                        new FileDescriptorMetrics())
                .forEach(binder -> binder.bindTo(registry));
        Gauge.builder("process.resident.memory", () -> residentBytes(Path.of("/proc/self/status")))
                .description("Resident memory of the process, in bytes.")
                .baseUnit("bytes")
                .register(registry);
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            // The collector's own totals, unlike Micrometer's listener, tell of the time before the first page too.
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

    /**
     * The resident memory of a process in bytes, from {@code VmRSS} of {@code /proc/<pid>/status} (proc(5)); not a number
     * where the kernel does not tell.
     */
    static double residentBytes(Path status) {
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith(RESIDENT))
                    .findFirst()
                    .map(line ->
                            line.substring(RESIDENT.length()).replace("kB", "").strip())
                    .map(kilobytes -> Long.parseLong(kilobytes) * 1024.0)
                    .orElse(Double.NaN);
        } catch (IOException | NumberFormatException untold) {
            return Double.NaN;
        }
    }
}
