package io.imexagent.e2e.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;

/** Figures that were measured, all of them kept: most are durations in milliseconds. For one thread. */
public final class Samples {

    private static final double NANOS_PER_MILLISECOND = 1e6;
    private static final int DECIMALS = 3;

    private double[] values = new double[16];
    private int count;

    /** Adds a duration in nanoseconds. */
    public void add(long nanos) {
        addFigure(nanos / NANOS_PER_MILLISECOND);
    }

    /** Adds a figure that is no duration. */
    public void addFigure(double figure) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
        }
        values[count++] = figure;
    }

    /** The one that was measured first. */
    public double first() {
        return values[0];
    }

    /** How many there are. */
    public int count() {
        return count;
    }

    /**
     * The value that so many percent of all values do not exceed (nearest rank); {@link IllegalStateException} where
     * there is none.
     */
    public double percentile(double percent) {
        if (count == 0) {
            throw new IllegalStateException("nothing was measured");
        }
        double[] sorted = Arrays.copyOf(values, count);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * count);
        return sorted[Math.max(1, rank) - 1];
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
        return Arrays.stream(values, 0, count)
                        .mapToObj(value -> String.format(Locale.ROOT, "%.1f", value))
                        .toList()
                + " ms";
    }
}
