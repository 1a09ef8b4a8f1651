package io.imexagent.kubernetes.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that stands still until a test moves it. */
public final class SettableClock implements InstantSource {

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T08:00:00Z"));

    @Override
    public Instant instant() {
        return now.get();
    }

    /** Moves the clock on. */
    public void advance(Duration by) {
        now.updateAndGet(before -> before.plus(by));
    }
}
