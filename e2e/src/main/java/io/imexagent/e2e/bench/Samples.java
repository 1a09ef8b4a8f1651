package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Durations that were measured, in milliseconds, all of them kept. For one thread. */
public final class Samples {

    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final int DECIMALS = 3;

    private final List<Double> values = new ArrayList<>();

    /** Adds a duration in nanoseconds. */
    public void add(long nanos) {
        values.add(nanos / NANOS_PER_MILLISECOND);
    }

    /**
     * The value that so many percent of all values do not exceed (nearest rank).
     *
     * @throws IllegalStateException when nothing was measured
     */
    public double percentile(double percent) {
        if (values.isEmpty()) {
            throw new IllegalStateException("nothing was measured");
        }
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.size());
        return sorted.get(Math.max(1, rank) - 1);
    }

    /** The value that half of all values do not exceed. */
    public double median() {
        return percentile(50);
    }

    /** The median and the 99th percentile, as a benchmark's document has them. */
    public ObjectNode percentiles() {
        return Json.object().put("p50", rounded(median())).put("p99", rounded(percentile(99)));
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
