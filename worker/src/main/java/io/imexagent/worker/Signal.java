package io.imexagent.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A signal that something has changed. Any thread may raise it; a waiting thread misses no signal that was raised
 * before it waited.
 */
public class Signal {

    /** For {@link #await}: no time limit. */
    public static final Duration UNTIL_RAISED = Duration.ofDays(36_500);

    private long raised;

    public synchronized void raise() {
        raised++;
        notifyAll();
    }

    /** How often the signal has been raised, for {@link #await}. */
    public synchronized long raised() {
        return raised;
    }

    /** Waits until the signal has been raised more than {@code seen} times, at most this long. */
    public void await(long seen, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        long left = atMost.toNanos();
        synchronized (this) {
            while (raised == seen && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
                left = end - System.nanoTime();
            }
        }
    }
}
