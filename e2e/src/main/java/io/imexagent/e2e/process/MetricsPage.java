package io.imexagent.e2e.process;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The page of metrics at one moment: values by series, such as {@code
 * nvidia_dra_requests_total{driver="…",operation="prepare"}}.
 */
public record MetricsPage(Map<String, Double> series) {

    /** Copies the series. */
    public MetricsPage {
        series = Map.copyOf(series);
    }

    /** Reads Prometheus text. */
    public static MetricsPage parse(String text) {
        Map<String, Double> series = text.lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .collect(Collectors.toMap(
                        line -> line.substring(0, line.lastIndexOf(' ')),
                        line -> number(line.substring(line.lastIndexOf(' ') + 1)),
                        (first, second) -> second));
        return new MetricsPage(series);
    }

    /** The value of a series; empty where it is not there. */
    public OptionalDouble value(String name) {
        Double value = series.get(name);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** The series whose value is not what it was, with the new value, by name. */
    public Map<String, Double> changedSince(MetricsPage before) {
        Map<String, Double> changed = new TreeMap<>();
        series.forEach((name, value) -> {
            if (!value.equals(before.series.get(name))) {
                changed.put(name, value);
            }
        });
        return changed;
    }

    /** Prometheus writes infinities as {@code +Inf} and {@code -Inf}. */
    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }
}
