package io.imexagent.core.retry;

import java.time.Duration;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * The wait before the next try, with full jitter: a random time up to a bound that doubles with each failure, from
 * {@code first} to {@code longest}, so that many clients that failed together do not return together. The server may
 * request a wait of at most {@code longestAsked}.
 */
public record Backoff(Duration first, Duration longest, Duration longestRequested) {

    private static final int MOST_DOUBLINGS = 30;

    /** The wait before the next try. Failures are counted in a row, from 1; random numbers are in 0 … 1. */
    public Duration after(int failures, DoubleSupplier random) {
        Duration doubled = first.multipliedBy(1L << Math.clamp(failures - 1L, 0, MOST_DOUBLINGS));
        Duration bound = shorter(doubled, longest);
        return Duration.ofNanos((long) (bound.toNanos() * random.getAsDouble()));
    }

    /** The wait before the next try, no shorter than the one that the server requested, if any. */
    public Duration after(int failures, Optional<Duration> requested, DoubleSupplier random) {
        Duration wait = after(failures, random);
        Duration least = shorter(requested.orElse(Duration.ZERO), longestRequested);
        return wait.compareTo(least) < 0 ? least : wait;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
