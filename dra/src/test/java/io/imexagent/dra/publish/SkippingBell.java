package io.imexagent.dra.publish;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A bell that remembers how long its loop wanted to wait, and cuts every wait but the idle one to a millisecond. */
public final class SkippingBell extends Bell {

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
        ring();
    }

    @Override
    public void hear() throws InterruptedException {
        idles.incrementAndGet();
        super.hear();
    }

    @Override
    public void hearWithin(Duration atMost) throws InterruptedException {
        if (atMost.equals(IDLE)) {
            idles.incrementAndGet();
            super.hearWithin(atMost);
            return;
        }
        pauses.add(atMost);
        super.hearWithin(Duration.ofMillis(1));
    }
}
