package io.imexagent.dra.claim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/** The monotonic clock, which a test puts forward, and a time of day that stands still until it does. */
public final class ManualClock implements LongSupplier, InstantSource {

    public static final Instant NOON = Instant.parse("2026-11-21T12:00:00Z");

    private final AtomicLong ahead = new AtomicLong();
    private final AtomicReference<Instant> day = new AtomicReference<>(NOON);

    /** Moves time. Whoever waits already goes on waiting. */
    public void advance(Duration by) {
        ahead.addAndGet(by.toNanos());
        jump(by);
    }

    /** Lets the time of day jump, as somebody who sets the clock does. */
    public void jump(Duration by) {
        day.updateAndGet(now -> now.plus(by));
    }

    @Override
    public long getAsLong() {
        return System.nanoTime() + ahead.get();
    }

    @Override
    public Instant instant() {
        return day.get();
    }
}
