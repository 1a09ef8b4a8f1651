package io.imexagent.kubernetes.http;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Bounds how many calls are under way, each on a connection of its own, and how many begin in a second. */
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

    /** A limiter that lets a burst through, and after it so many calls a second. */
    static RateLimiter paced(int atOnce, double perSecond, int burst) {
        return new RateLimiter(atOnce, perSecond, burst);
    }

    /** Waits for the pace, and so long for a place; whether the caller passed, and must {@link #leave}. */
    boolean enter(Duration wait) throws InterruptedException {
        pace();
        return places.tryAcquire(wait.toNanos(), TimeUnit.NANOSECONDS);
    }

    void leave() {
        places.release();
    }

    /** Waits for the pace only; for a watch, which would hold a place for ever. */
    void pace() throws InterruptedException {
        if (perSecond == NO_LIMIT) {
            return;
        }
        try {
            Thread.sleep(Duration.ofNanos(reserve()));
        } catch (InterruptedException e) {
            // Its place in the pace is the next one's: else those who gave up would make all others wait.
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
