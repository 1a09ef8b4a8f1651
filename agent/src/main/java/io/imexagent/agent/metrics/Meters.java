package io.imexagent.agent.metrics;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/**
 * The series of the agent's own metrics, in plain memory: counting loads no library, since the start of the agent would
 * pay for it; what a page needs is loaded by the first page.
 */
final class Meters {

    private final Map<MetricCatalogue, Map<List<String>, Series>> series = new EnumMap<>(MetricCatalogue.class);

    Meters() {
        for (MetricCatalogue metric : MetricCatalogue.values()) {
            series.put(metric, new ConcurrentHashMap<>());
        }
    }

    /** The counter with these labels, the same one each time; there with 0 from now on. */
    Count counter(MetricCatalogue metric, String... labels) {
        return switch (of(metric).computeIfAbsent(checked(metric, labels), key -> new Count())) {
            case Count count -> count;
            case Durations durations -> throw mismatch(metric);
            case Gauge gauge -> throw mismatch(metric);
        };
    }

    /** The durations with these labels, the same ones each time; there with 0 from now on. */
    Durations durations(MetricCatalogue metric, String... labels) {
        return switch (of(metric).computeIfAbsent(checked(metric, labels), key -> new Durations())) {
            case Durations durations -> durations;
            case Count count -> throw mismatch(metric);
            case Gauge gauge -> throw mismatch(metric);
        };
    }

    /** Asks for a value with each page; while it is not a number there is no such series. */
    void gauge(MetricCatalogue metric, DoubleSupplier value, String... labels) {
        of(metric).put(checked(metric, labels), new Gauge(value));
    }

    /** Makes these the only series of a gauge. */
    void rows(MetricCatalogue metric, Map<List<String>, Double> rows) {
        Map<List<String>, Series> present = of(metric);
        rows.forEach((labels, value) -> {
            double shown = value;
            present.put(checked(metric, labels.toArray(String[]::new)), new Gauge(() -> shown));
        });
        present.keySet().retainAll(rows.keySet());
    }

    /** The series of a metric by the values of its labels. */
    Map<List<String>, Series> of(MetricCatalogue metric) {
        Map<List<String>, Series> ofMetric = series.get(metric);
        if (ofMetric == null) {
            throw new IllegalArgumentException("no such metric: " + metric);
        }
        return ofMetric;
    }

    private static List<String> checked(MetricCatalogue metric, String... values) {
        if (values.length != metric.labels().size()) {
            throw new IllegalArgumentException(metric.metric() + " has the labels " + metric.labels());
        }
        return List.of(values);
    }

    private static IllegalStateException mismatch(MetricCatalogue metric) {
        return new IllegalStateException(metric.metric() + " is a " + metric.kind());
    }

    /** One series. */
    sealed interface Series {}

    /** A number that grows. */
    static final class Count implements Series {

        private final LongAdder sum = new LongAdder();

        void increment() {
            sum.increment();
        }

        long value() {
            return sum.sum();
        }
    }

    /** A number that is asked for. */
    record Gauge(DoubleSupplier value) implements Series {}

    /** Durations, counted in buckets that double. */
    static final class Durations implements Series {

        /** The public driver's buckets: nine, 0.05 s and its doubles. */
        private static final int BUCKETS = 9;

        private static final long FIRST_NANOS = 50_000_000;

        private final LongAdder nanos = new LongAdder();
        private final LongAdder[] counts = new LongAdder[BUCKETS + 1];

        Durations() {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = new LongAdder();
            }
        }

        void record(Duration took) {
            nanos.add(took.toNanos());
            int bucket = 0;
            while (bucket < BUCKETS && took.toNanos() > FIRST_NANOS << bucket) {
                bucket++;
            }
            counts[bucket].increment();
        }

        double seconds() {
            return nanos.sum() / 1e9;
        }

        /** How many fell into each bucket; the last one takes what is longer than all bounds. */
        long[] counts() {
            long[] all = new long[counts.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = counts[i].sum();
            }
            return all;
        }

        /** The buckets' upper bounds in seconds, the last one infinite. */
        static double[] bounds() {
            double[] bounds = new double[BUCKETS + 1];
            for (int i = 0; i < BUCKETS; i++) {
                bounds[i] = (FIRST_NANOS << i) / 1e9;
            }
            bounds[BUCKETS] = Double.POSITIVE_INFINITY;
            return bounds;
        }
    }
}
