package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Figures that were measured, all of them kept: most are durations in milliseconds. For one thread. */
public final class Samples {

    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final int DECIMALS = 3;

    private final List<Double> values = new ArrayList<>();

    /** Adds a duration in nanoseconds. */
    public void add(long nanos) {
        addFigure(nanos / NANOS_PER_MILLISECOND);
    }

    /** Adds a figure that is no duration. */
    public void addFigure(double figure) {
        values.add(figure);
    }

    /** The one that was measured first. */
    public double first() {
        return values.getFirst();
    }

    public int count() {
        return values.size();
    }

    /** What so many percent of all values do not exceed (nearest rank); {@link IllegalStateException} without any. */
    public double percentile(double percent) {
        int rank = (int) Math.ceil(percent / 100 * values.size());
        return values.stream()
                .sorted()
                .skip(Math.max(1, rank) - 1L)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nothing was measured"));
    }

    /** The value that half of all values do not exceed. */
    public double median() {
        return percentile(50);
    }

    /** The median, the 99th percentile and the longest, as a benchmark's document has them. */
    public ObjectNode percentiles() {
        return Json.object()
                .put("p50", rounded(median()))
                .put("p99", rounded(percentile(99)))
                .put("longest", rounded(percentile(100)));
    }

    /** A figure as a benchmark's document has it: with three decimals. */
    public static BigDecimal rounded(double value) {
        return BigDecimal.valueOf(value).setScale(DECIMALS, RoundingMode.HALF_UP);
    }

    /** The values in the order in which they were measured, with one decimal. */
    @Override
    public String toString() {
        return values.stream()
                        .map(value -> String.format(Locale.ROOT, "%.1f", value))
                        .toList()
                + " ms";
    }
}
