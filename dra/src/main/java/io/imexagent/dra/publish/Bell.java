package io.imexagent.dra.publish;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes one loop. Rings that come while the loop works are heard once, afterwards. */
public class Bell {

    private final Semaphore rings = new Semaphore(0);

    public void ring() {
        rings.release();
    }

    /** Waits for a ring. */
    void hear() throws InterruptedException {
        rings.acquire();
        rings.drainPermits();
    }

    /** Waits for a ring, this time at most. */
    public void hearWithin(Duration atMost) throws InterruptedException {
        var _ = rings.tryAcquire(atMost.toMillis(), TimeUnit.MILLISECONDS);
        rings.drainPermits();
    }
}
