package io.imexagent.controller;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * A queue of keys. Each key is in the queue at most once, and with at most one worker at a time; a key that is added
 * during its work is queued again afterwards. A key that failed waits longer each time, and delays no other key.
 */
final class ReconcileQueue<K> {

    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final Deque<K> ready = new ArrayDeque<>();
    private final Set<K> queued = new HashSet<>();
    private final Set<K> worked = new HashSet<>();
    private final Set<K> again = new HashSet<>();
    private final Map<K, Integer> failures = new HashMap<>();
    private final Map<K, Long> dues = new HashMap<>();
    private final PriorityQueue<DueKey<K>> timers = new PriorityQueue<>(Comparator.comparingLong(due -> due.at()));
    private boolean open;
    private boolean closed;

    private record DueKey<K>(K key, long at) {}

    ReconcileQueue(LongSupplier nanoTime, DoubleSupplier random) {
        this.nanoTime = nanoTime;
        this.random = random;
    }

    synchronized void add(K key) {
        if (worked.contains(key)) {
            again.add(key);
        } else if (queued.add(key)) {
            ready.addLast(key);
            notifyAll();
        }
    }

    /** Adds a key after {@code wait}; if it already waits, the earlier time counts. */
    synchronized void addAfter(K key, Duration wait) {
        long at = nanoTime.getAsLong() + wait.toNanos();
        Long due = dues.get(key);
        if (due == null || at - due < 0) {
            dues.put(key, at);
            timers.add(new DueKey<>(key, at));
            notifyAll();
        }
    }

    /** Starts or stops delivering keys. */
    synchronized void open(boolean handOut) {
        open = handOut;
        notifyAll();
    }

    /** Waits for the next key; empty once the queue is closed. */
    synchronized Optional<K> take() throws InterruptedException {
        while (!closed) {
            long wait = ripen();
            if (open && !ready.isEmpty()) {
                K key = ready.removeFirst();
                queued.remove(key);
                worked.add(key);
                return Optional.of(key);
            }
            TimeUnit.NANOSECONDS.timedWait(this, wait);
        }
        return Optional.empty();
    }

    /**
     * Moves due keys to the queue, and returns the nanoseconds until the next key is due; {@link Long#MAX_VALUE} if no
     * key waits.
     */
    private long ripen() {
        long now = nanoTime.getAsLong();
        while (!timers.isEmpty()) {
            DueKey<K> next = timers.peek();
            Long due = dues.get(next.key());
            boolean current = due != null && due == next.at();
            if (current && next.at() - now > 0) {
                return next.at() - now;
            }
            timers.remove();
            if (current) {
                dues.remove(next.key());
                add(next.key());
            }
        }
        return Long.MAX_VALUE;
    }

    synchronized void done(K key) {
        failures.remove(key);
        finish(key);
    }

    /**
     * Adds a failed key again after a wait, and returns the wait; {@code least} is the shortest wait that the server
     * accepts.
     */
    synchronized Duration failed(K key, Duration least) {
        int before = failures.merge(key, 1, Integer::sum) - 1;
        long capped = Math.min(FIRST.toMillis() << Math.min(before, 16), LONGEST.toMillis());
        long own = (long) (capped * (1 - random.getAsDouble() / 5));
        Duration wait = Duration.ofMillis(Math.max(own, least.toMillis()));
        finish(key);
        addAfter(key, wait);
        return wait;
    }

    private void finish(K key) {
        worked.remove(key);
        if (again.remove(key)) {
            add(key);
        }
    }

    synchronized int size() {
        return ready.size();
    }

    /** Whether no key is queued or with a worker; keys that wait for their time do not count. */
    synchronized boolean idle() {
        return ready.isEmpty() && worked.isEmpty();
    }

    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
