package io.imexagent.testing.kubelet;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** What the double saw, in order. */
final class EventLog {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final List<KubeletEvent> events = new ArrayList<>();

    void add(KubeletEvent event) {
        lock.lock();
        try {
            events.add(event);
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    List<KubeletEvent> events() {
        lock.lock();
        try {
            return List.copyOf(events);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is a value; it is asked for after each event. */
    <T> T await(String what, Duration limit, Supplier<Optional<T>> value) throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                Optional<T> now = value.get();
                if (now.isPresent()) {
                    return now.get();
                }
                if (left <= 0) {
                    throw new IllegalStateException(
                            "gave up waiting for " + what + " after " + limit + "; the kubelet double saw " + events);
                }
                left = grown.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }
}
