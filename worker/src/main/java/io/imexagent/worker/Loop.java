package io.imexagent.worker;

import io.imexagent.core.retry.Backoff;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does one thing again and again on a virtual thread of its own: after a pause, or as soon as it is woken. */
public abstract class Loop implements AutoCloseable {

    private static final Backoff AFTER_DEFECT =
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(30));

    private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

    private final Signal signal;
    private final Thread thread;
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
     * or an error is logged as a defect, and the next turn follows after a while, 30 s at most.
     */
    protected abstract Duration turn() throws InterruptedException;

    /** Is called after the last turn, on the loop's thread. */
    protected void ended() {}

    public void start() {
        thread.start();
    }

    /** Ends the pause; during a turn, the next one follows at once. Never blocks. */
    public void wake() {
        signal.raise();
    }

    /** Interrupts the turn or the pause; no turn follows. Does not wait for that. */
    @Override
    public void close() {
        thread.interrupt();
    }

    private Duration guarded() throws InterruptedException {
        try {
            Duration pause = turn();
            defects = 0;
            return pause;
        } catch (RuntimeException | Error defect) {
            LOG.error("background task failed by a defect, running it again loop={}", thread.getName(), defect);
            // What this loop did wrong is its own: there is nothing to spread among nodes.
            return AFTER_DEFECT.after(++defects, () -> 1);
        }
    }

    private void run() {
        try {
            while (!Thread.interrupted()) {
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
