package io.imexagent.dra.worker;

import java.time.Duration;

/** Does one thing again and again on a virtual thread of its own: after a pause, or as soon as it is woken. */
public final class Loop implements AutoCloseable {

    private final Step step;
    private final Runnable atEnd;
    private final Signal signal;
    private final Thread thread;

    /** One turn of a loop. */
    @FunctionalInterface
    public interface Step {

        /**
         * Does it. It has to deal with its own failures: an exception ends the loop.
         *
         * @return how long to pause, {@link Signal#UNTIL_RAISED} to be woken only
         */
        Duration run() throws InterruptedException;
    }

    /** A loop that has not begun, on a thread of this name. */
    public Loop(String name, Step step) {
        this(name, step, () -> {}, new Signal());
    }

    /**
     * A loop that has not begun.
     *
     * @param atEnd is run on the loop's thread after its last turn
     * @param signal wakes it
     */
    public Loop(String name, Step step, Runnable atEnd, Signal signal) {
        this.step = step;
        this.atEnd = atEnd;
        this.signal = signal;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** Begins at once. */
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

    private void run() {
        try {
            while (!Thread.interrupted()) {
                long seen = signal.raised();
                signal.await(seen, step.run());
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        } finally {
            atEnd.run();
        }
    }
}
