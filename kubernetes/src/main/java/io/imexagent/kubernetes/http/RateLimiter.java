package io.imexagent.kubernetes.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Limits how many calls are under way at a time, each on its own connection, and how many start per second. */
final class RateLimiter {

    private static final double NO_LIMIT = Double.POSITIVE_INFINITY;

    private final Semaphore places;
    private final double perSecond;
    private final double burst;
    private double tokens;
    private long countedAt = System.nanoTime();

    private RateLimiter(int atOnce, double perSecond, double burst) {
        this.places = new Semaphore(atOnce, true);
        this.perSecond = perSecond;
        this.burst = burst;
        this.tokens = burst;
    }

    static RateLimiter unpaced(int atOnce) {
        return new RateLimiter(atOnce, NO_LIMIT, NO_LIMIT);
    }

    /** Creates a limiter that admits a burst, and after it {@code perSecond} calls per second. */
    static RateLimiter paced(int atOnce, double perSecond, int burst) {
        return new RateLimiter(atOnce, perSecond, burst);
    }

    /**
     * Waits for the call's turn by rate, then at most {@code wait} for a place; true if the caller has a place, which
     * it must {@link #leave}.
     */
    boolean enter(Duration wait) throws InterruptedException {
        pace();
        return places.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    void leave() {
        places.release();
    }

    /** Waits for the call's turn by rate, without a place: a watch would hold its place for ever. */
    void pace() throws InterruptedException {
        if (perSecond == NO_LIMIT) {
            return;
        }
        try {
            Thread.sleep(Duration.ofNanos(reserve()));
        } catch (InterruptedException e) {
            // Its turn is free for the next caller: otherwise callers that were interrupted would delay all others.
            synchronized (this) {
                tokens++;
            }
            throw e;
        }
    }

    private synchronized long reserve() {
        long now = System.nanoTime();
        tokens = Math.min(burst, tokens + (now - countedAt) * perSecond / 1e9) - 1;
        countedAt = now;
        return tokens >= 0 ? 0 : (long) (-tokens / perSecond * 1e9);
    }
}
