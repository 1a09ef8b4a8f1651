package io.imexagent.testing.kubelet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What the double saw, in order. */
final class EventLog {

    private final List<KubeletEvent> events = new ArrayList<>();

    synchronized void add(KubeletEvent event) {
        events.add(event);
        notifyAll();
    }

    synchronized List<KubeletEvent> events() {
        return List.copyOf(events);
    }

    /** Waits until there is a value; it is asked for after each event. */
    synchronized <T> T await(String what, Duration limit, Supplier<Optional<T>> value) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        Optional<T> now = value.get();
        while (now.isEmpty()) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new IllegalStateException(
                        "gave up waiting for " + what + " after " + limit + "; the kubelet double saw " + events);
            }
            // A wait of no whole millisecond would be one without end.
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, 1_000_000));
            now = value.get();
        }
        return now.get();
    }
}
