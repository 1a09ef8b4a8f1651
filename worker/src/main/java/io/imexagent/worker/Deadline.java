package io.imexagent.worker;

import java.time.Duration;
import java.util.function.LongSupplier;

/** A moment on the monotonic clock by which an operation must end; all its steps share it. */
public record Deadline(LongSupplier nanoTime, long endNanos) {

    public static Deadline in(Duration time, LongSupplier nanoTime) {
        return new Deadline(nanoTime, nanoTime.getAsLong() + time.toNanos());
    }

    /** An earlier deadline, by this duration. */
    public Deadline leaving(Duration toOthers) {
        return new Deadline(nanoTime, endNanos - toOthers.toNanos());
    }

    /** The remaining time; zero once the deadline has passed. */
    public Duration left() {
        return Duration.ofNanos(Math.max(0, endNanos - nanoTime.getAsLong()));
    }
}
