package io.imexagent.dra.driver;

import io.imexagent.worker.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A signal that remembers how long its loop wanted to pause, and cuts every pause but the idle one to a millisecond. */
public final class SkippingSignal extends Signal {

    private static final Duration IDLE = Duration.ofMinutes(10);

    private final List<Duration> pauses = new CopyOnWriteArrayList<>();
    private final AtomicInteger idles = new AtomicInteger();

    /** The pauses after failures. */
    public List<Duration> pauses() {
        return pauses;
    }

    /** How often the loop found nothing more to do. */
    public int idles() {
        return idles.get();
    }

    /** Lets the idle time of the loop pass. */
    public void elapse() {
        raise();
    }

    @Override
    public void await(long seen, Duration atMost) throws InterruptedException {
        if (atMost.compareTo(IDLE) >= 0) {
            idles.incrementAndGet();
            super.await(seen, atMost);
        } else if (atMost.isPositive()) {
            pauses.add(atMost);
            super.await(seen, Duration.ofMillis(1));
        }
    }
}
