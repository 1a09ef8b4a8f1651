package io.imexagent.worker;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Something has changed. It can be raised by any thread, and waited for without missing what came in between. */
public class Signal {

    /** To wait for as long as it takes. */
    public static final Duration UNTIL_RAISED = Duration.ofDays(36_500);

    private long raised;

    public synchronized void raise() {
        raised++;
        notifyAll();
    }

    /** How often it has been raised, for {@link #await}. */
    public synchronized long raised() {
        return raised;
    }

    /** Waits until it has been raised more often than that, this time at most. */
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
