package io.imexagent.worker;

import io.imexagent.core.retry.Backoff;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Repeats one action on a virtual thread of its own, after a pause or when it is woken. */
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

    /** A loop that has not started, with a thread of this name. The signal ends its pauses. */
    protected Loop(String name, Signal signal) {
        this.signal = signal;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** A loop over this step that has not started, with a thread of this name. */
    public static Loop of(String name, LoopStep step) {
        return new Loop(name, new Signal()) {
            @Override
            protected Duration turn() throws InterruptedException {
                return step.run();
            }
        };
    }

    /**
     * Performs the action once, and returns the pause before the next turn; {@link Signal#UNTIL_RAISED} waits until the
     * loop is woken. An unchecked exception or an error is a defect, see {@link #afterDefect}.
     */
    protected abstract Duration turn() throws InterruptedException;

    /** Logs a defect, and returns the pause after this many defects in a row: 30 s at most. */
    protected Duration afterDefect(Throwable defect, int inARow) {
        LOG.error("background task failed by a defect, running it again loop={}", thread.getName(), defect);
        // The defect is of this process, so the pause needs no jitter.
        return AFTER_DEFECT.after(inARow, () -> 1);
    }

    /** Called after the last turn, on the loop's thread. */
    protected void ended() {}

    public void start() {
        started.set(true);
        thread.start();
    }

    /** Starts the loop, or wakes it if it has started. Never blocks. */
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

    /** Lets the current turn be the last one, and ends the pause. Does not wait for the end: see {@link #join}. */
    public void finish() {
        closed = true;
        signal.raise();
    }

    /** Waits for the end of a started loop, at most this long. */
    public void join(Duration atMost) throws InterruptedException {
        thread.join(atMost);
    }

    /** Interrupts the turn or the pause; no turn follows. Does not wait for the end. */
    @Override
    public void close() {
        finish();
        thread.interrupt();
    }

    /** Whether the loop was closed or finished, so that no turn follows. */
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

    /** Calls {@link #afterDefect}. The loop goes on even if that fails, for example for lack of memory. */
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
