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
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Keys to work on: each at most once in the queue, each by at most one worker at a time; one that is added while it is
 * worked on comes once more afterwards. A key that failed waits longer each time, the others do not wait for it.
 */
public final class WorkQueue {

    private static final Duration FIRST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();
    private final Deque<String> ready = new ArrayDeque<>();
    private final Set<String> queued = new HashSet<>();
    private final Set<String> worked = new HashSet<>();
    private final Set<String> again = new HashSet<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final Map<String, Long> dues = new HashMap<>();
    private final PriorityQueue<Due> timers = new PriorityQueue<>(Comparator.comparingLong(Due::at));
    private boolean open;
    private boolean closed;

    private record Due(String key, long at) {}

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
    public void add(String key) {
        lock.lock();
        try {
            push(key);
        } finally {
            lock.unlock();
        }
    }

    private void push(String key) {
        if (worked.contains(key)) {
            again.add(key);
        } else if (queued.add(key)) {
            ready.addLast(key);
            news.signal();
        }
    }

    /** Adds a key after a while; where it waits already, the earlier time holds. */
    public void addAfter(String key, Duration wait) {
        lock.lock();
        try {
            long at = nanoTime.getAsLong() + wait.toNanos();
            Long due = dues.get(key);
            if (due == null || at - due < 0) {
                dues.put(key, at);
                timers.add(new Due(key, at));
                news.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Hands out keys from now on, or no more until told again. */
    public void open(boolean handOut) {
        lock.lock();
        try {
            open = handOut;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next key; waits for one.
     *
     * @return empty where the queue was closed
     */
    public Optional<String> take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!closed) {
                long wait = ripen();
                if (open && !ready.isEmpty()) {
                    String key = ready.removeFirst();
                    queued.remove(key);
                    worked.add(key);
                    return Optional.of(key);
                }
                if (wait == Long.MAX_VALUE) {
                    news.await();
                } else {
                    long left = news.awaitNanos(wait);
                    assert left <= wait;
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Moves what is due to the queue, and says in how many nanoseconds the next one is. */
    private long ripen() {
        long now = nanoTime.getAsLong();
        while (!timers.isEmpty()) {
            Due next = timers.peek();
            Long due = dues.get(next.key());
            boolean current = due != null && due == next.at();
            if (current && next.at() - now > 0) {
                return next.at() - now;
            }
            timers.remove();
            if (current) {
                dues.remove(next.key());
                push(next.key());
            }
        }
        return Long.MAX_VALUE;
    }

    /** The key was worked on, and that went well. */
    public void done(String key) {
        lock.lock();
        try {
            failures.remove(key);
            finish(key);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The key was worked on, and that failed: it comes again after a while.
     *
     * @param least the shortest wait that the server asks for
     * @return the wait
     */
    public Duration failed(String key, Duration least) {
        Duration wait;
        lock.lock();
        try {
            int before = failures.merge(key, 1, Integer::sum) - 1;
            Duration doubled = FIRST.multipliedBy(1L << Math.min(before, 16));
            long capped = Math.min(doubled.toMillis(), LONGEST.toMillis());
            Duration own = Duration.ofMillis((long) (capped * (1 - random.getAsDouble() / 5)));
            wait = own.compareTo(least) > 0 ? own : least;
            finish(key);
        } finally {
            lock.unlock();
        }
        addAfter(key, wait);
        return wait;
    }

    private void finish(String key) {
        worked.remove(key);
        if (again.remove(key)) {
            push(key);
        }
    }

    /** How many keys wait to be worked on. */
    public int size() {
        lock.lock();
        try {
            return ready.size();
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing is queued and nothing worked on; keys that wait for a time do not count. */
    public boolean idle() {
        lock.lock();
        try {
            return ready.isEmpty() && worked.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the waiting of all workers. */
    public void close() {
        lock.lock();
        try {
            closed = true;
            news.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
