package io.imexagent.dra.claim;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A look at the API server that can be broken off from outside: its thread is interrupted, and nothing after it. */
final class Look {

    private final long began;
    private @Nullable Thread thread = Thread.currentThread();
    private boolean brokenOff;

    /** Begins on the current thread, at this time on the monotonic clock. */
    Look(long began) {
        this.began = began;
    }

    /** Breaks it off, where it has not ended. */
    synchronized void breakOff() {
        if (thread != null) {
            brokenOff = true;
            thread.interrupt();
        }
    }

    /** Breaks it off where it began longer ago than that. */
    void breakOffAfter(Duration patience, long now) {
        if (now - began >= patience.toNanos()) {
            breakOff();
        }
    }

    /** Ends it, on its own thread; returns whether it was broken off. */
    synchronized boolean end() {
        thread = null;
        // The interrupt was for the look alone.
        Thread.interrupted();
        return brokenOff;
    }
}
