package io.imexagent.worker;

import io.imexagent.core.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one thing again and again on a virtual thread of its own: after a pause, or as soon as it is woken. */
public abstract class Loop implements AutoCloseable {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Backoff AFTER_DEFECT = new Backoff(Duration.ofSeconds(1), LONGEST, LONGEST);

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final Signal signal;
    private final Thread thread;
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean closed;
    private int defects;

    @FunctionalInterface
    public interface LoopStep {
        Duration run() throws InterruptedException;
    }

    /** A loop that has not begun, on a thread of this name; the signal ends its pauses. */
    protected Loop(String name, Signal signal) {
        this.signal = signal;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** A loop of such turns that has not begun, on a thread of this name. */
    public static Loop of(String name, LoopStep step) {
        return new Loop(name, new Signal()) {
            @Override
            protected Duration turn() throws InterruptedException {
                return step.run();
            }
        };
    }

    /**
     * Does it once, and returns how long to pause, {@link Signal#UNTIL_RAISED} to be woken only. An unchecked exception
     * or an error is a defect, see {@link #afterDefect}.
     */
    protected abstract Duration turn() throws InterruptedException;

    /** Logs a defect, and returns how long to pause after so many turns that ended with one: 30 s at most. */
    protected Duration afterDefect(Throwable defect, int inARow) {
        LOG.error("background task failed by a defect, running it again loop={}", thread.getName(), defect);
        // What this loop did wrong is its own: there is nothing to spread among nodes.
        return AFTER_DEFECT.after(inARow, () -> 1);
    }

    /** Is called after the last turn, on the loop's thread. */
    protected void ended() {}

    public void start() {
        started.set(true);
        thread.start();
    }

    /** Starts a loop that has nothing to do before this call; wakes it where it has started. Never blocks. */
    public void startOrWake() {
        if (started.getAndSet(true)) {
            wake();
        } else {
            thread.start();
        }
    }

    /** Ends the pause; during a turn, the next one follows at once. Never blocks. */
    public void wake() {
        signal.raise();
    }

    /** Ends the pause, but not the turn that runs; no turn follows. Does not wait for that: see {@link #join}. */
    public void finish() {
        closed = true;
        signal.raise();
    }

    /** Waits until a loop that was started has ended, this time at most. */
    public void join(Duration atMost) throws InterruptedException {
        thread.join(atMost);
    }

    /** Interrupts the turn or the pause; no turn follows. Does not wait for that. */
    @Override
    public void close() {
        finish();
        thread.interrupt();
    }

    /** Whether no turn is to follow. */
    protected final boolean closed() {
        return closed;
    }

    private Duration guarded() throws InterruptedException {
        try {
            Duration pause = turn();
            defects = 0;
            return pause;
        } catch (RuntimeException | Error defect) {
            return handled(defect);
        }
    }

    /** As {@link #afterDefect} says; where that fails itself, for lack of memory say, the loop still goes on. */
    private Duration handled(Throwable defect) {
        try {
            return afterDefect(defect, ++defects);
        } catch (RuntimeException | Error another) {
            return LONGEST;
        }
    }

    private void run() {
        try {
            while (!closed && !Thread.interrupted()) {
                long seen = signal.raised();
                signal.await(seen, guarded());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } finally {
            ended();
        }
    }
}
