package io.imexagent.controller.work;

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
 * Keys to work on: each at most once in the queue, each by at most one worker at a time; one that is added while it is
 * worked on comes once more afterwards. A key that failed waits longer each time, the others do not wait for it.
 *
 * @param <K> the keys, which are values
 */
public final class WorkQueue<K> {

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
    private final PriorityQueue<Due<K>> timers = new PriorityQueue<>(Comparator.comparingLong(due -> due.at()));
    private boolean open;
    private boolean closed;

    private record Due<K>(K key, long at) {}

    /**
     * An empty queue that hands out nothing yet.
     *
     * @param nanoTime a clock for waits
     * @param random random numbers in 0 … 1
     */
    public WorkQueue(LongSupplier nanoTime, DoubleSupplier random) {
        this.nanoTime = nanoTime;
        this.random = random;
    }

    /** Adds a key, to be worked on as soon as may be. */
    public synchronized void add(K key) {
        if (worked.contains(key)) {
            again.add(key);
        } else if (queued.add(key)) {
            ready.addLast(key);
            notifyAll();
        }
    }

    /** Adds a key after a while; where it waits already, the earlier time holds. */
    public synchronized void addAfter(K key, Duration wait) {
        long at = nanoTime.getAsLong() + wait.toNanos();
        Long due = dues.get(key);
        if (due == null || at - due < 0) {
            dues.put(key, at);
            timers.add(new Due<>(key, at));
            notifyAll();
        }
    }

    /** Hands out keys from now on, or no more until told again. */
    public synchronized void open(boolean handOut) {
        open = handOut;
        notifyAll();
    }

    /**
     * The next key; waits for one.
     *
     * @return empty where the queue was closed
     */
    public synchronized Optional<K> take() throws InterruptedException {
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

    /** Moves what is due to the queue, and says in how many nanoseconds the next one is; never, where none waits. */
    private long ripen() {
        long now = nanoTime.getAsLong();
        while (!timers.isEmpty()) {
            Due<K> next = timers.peek();
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

    /** The key was worked on, and that went well. */
    public synchronized void done(K key) {
        failures.remove(key);
        finish(key);
    }

    /**
     * The key was worked on, and that failed: it comes again after a while.
     *
     * @param least the shortest wait that the server asks for
     * @return the wait
     */
    public synchronized Duration failed(K key, Duration least) {
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

    /** How many keys wait to be worked on. */
    public synchronized int size() {
        return ready.size();
    }

    /** Whether nothing is queued and nothing worked on; keys that wait for a time do not count. */
    public synchronized boolean idle() {
        return ready.isEmpty() && worked.isEmpty();
    }

    /** Ends the waiting of all workers. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
