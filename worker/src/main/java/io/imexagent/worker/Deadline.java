package io.imexagent.worker;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A moment on the monotonic clock by which something must be over, which everything that takes part in it shares. */
public record Deadline(LongSupplier nanoTime, long endNanos) {

    public static Deadline in(Duration time, LongSupplier nanoTime) {
        return new Deadline(nanoTime, nanoTime.getAsLong() + time.toNanos());
    }

    /** A deadline that leaves this time of this one to others. */
    public Deadline leaving(Duration toOthers) {
        return new Deadline(nanoTime, endNanos - toOthers.toNanos());
    }

    /** What is left; zero once the moment is over. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - nanoTime.getAsLong()));
    }
}
