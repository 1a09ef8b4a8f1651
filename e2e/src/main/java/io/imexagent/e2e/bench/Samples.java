package io.imexagent.e2e.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Durations that were measured, in milliseconds, all of them kept. For one thread. */
final class Samples {

    private static final double NANOS_PER_MILLISECOND = 1e6;

    private final List<Double> values = new ArrayList<>();

    /** Adds a duration in nanoseconds. */
    void add(long nanos) {
        values.add(nanos / NANOS_PER_MILLISECOND);
    }

    /**
     * The value that so many percent of all values do not exceed (nearest rank).
     *
     * @throws IllegalStateException when nothing was measured
     */
    double percentile(double percent) {
        if (values.isEmpty()) {
            throw new IllegalStateException("nothing was measured");
        }
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.size());
        return sorted.get(Math.max(1, rank) - 1);
    }

    double median() {
        return percentile(50);
    }

    /** The values in the order in which they were measured. */
    List<Double> values() {
        return List.copyOf(values);
    }
}
