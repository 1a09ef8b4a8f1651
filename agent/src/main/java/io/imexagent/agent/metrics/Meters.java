package io.imexagent.agent.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Makes the meters of the catalogue in a registry. A label's value stands in the place of its name. */
final class Meters {

    /** The public driver's buckets: 0.05 s doubled, nine of them. */
    private static final Duration[] BUCKETS = IntStream.range(0, 9)
            .mapToObj(power -> Duration.ofMillis(50L << power))
            .toArray(Duration[]::new);

    private final MeterRegistry registry;

    Meters(MeterRegistry registry) {
        this.registry = registry;
    }

    Counter counter(MetricCatalogue metric, String... values) {
        return Counter.builder(metric.meter())
                .description(metric.help())
                .tags(tags(metric, values))
                .register(registry);
    }

    Timer timer(MetricCatalogue metric, String... values) {
        Timer.Builder builder =
                Timer.builder(metric.meter()).description(metric.help()).tags(tags(metric, values));
        if (metric.kind() == MetricCatalogue.Kind.HISTOGRAM) {
            builder.serviceLevelObjectives(BUCKETS);
        }
        return builder.register(registry);
    }

    void gauge(MetricCatalogue metric, Supplier<Number> value, String... values) {
        Gauge.builder(metric.meter(), value)
                .description(metric.help())
                .tags(tags(metric, values))
                .register(registry);
    }

    Rows rows(MetricCatalogue metric) {
        return new Rows(
                metric,
                MultiGauge.builder(metric.meter()).description(metric.help()).register(registry));
    }

    private static Tags tags(MetricCatalogue metric, String... values) {
        if (values.length != metric.labels().size()) {
            throw new IllegalArgumentException(metric.metric() + " has the labels " + metric.labels());
        }
        var tags = new ArrayList<Tag>();
        for (int i = 0; i < values.length; i++) {
            tags.add(Tag.of(metric.labels().get(i), values[i]));
        }
        return Tags.of(tags);
    }

    /** A gauge whose series come and go. */
    static final class Rows {

        private final MetricCatalogue metric;
        private final MultiGauge gauge;

        private Rows(MetricCatalogue metric, MultiGauge gauge) {
            this.metric = metric;
            this.gauge = gauge;
        }

        void set(List<Row> rows) {
            gauge.register(
                    rows.stream()
                            .map(row ->
                                    MultiGauge.Row.of(tags(metric, row.values().toArray(String[]::new)), row.value()))
                            .toList(),
                    true);
        }
    }

    /** One series. */
    record Row(List<String> values, double value) {}
}
