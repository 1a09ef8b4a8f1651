package io.imexagent.agent.runtime;

import io.imexagent.dra.worker.Deadline;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time between the start of an agent and the end that a signal asks for. An end that comes while the agent still
 * starts breaks the start off: it may be waiting for a lock that another process holds.
 */
final class Lifetime {

    private final LongSupplier nanoTime;
    private Phase phase = Phase.STARTING;
    private final Thread starter;
    private long askedAt;

    /** A lifetime whose start runs on the present thread. */
    Lifetime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.starter = Thread.currentThread();
    }

    /** Asks for the end, at once; from any thread, and again without effect. */
    synchronized void end() {
        if (phase == Phase.ENDING) {
            return;
        }
        askedAt = nanoTime.getAsLong();
        if (phase == Phase.STARTING) {
            starter.interrupt();
        }
        phase = Phase.ENDING;
        notifyAll();
    }

    /**
     * Starts, on the thread that made the lifetime.
     *
     * @return whether the agent runs; false where the end was asked for meanwhile
     */
    boolean start(Start start) throws Exception {
        try {
            start.run();
            return !started();
        } catch (Exception failure) {
            if (started()) {
                // Whatever failed, failed of the interruption, or does not matter any more.
                return false;
            }
            throw failure;
        }
    }

    /** Closes the time in which the thread may be interrupted; whether the end was asked for within it. */
    private synchronized boolean started() {
        if (phase == Phase.STARTING) {
            phase = Phase.RUNNING;
        }
        boolean _ = Thread.interrupted();
        return phase == Phase.ENDING;
    }

    /** Waits until somebody asks for the end. */
    synchronized void awaitEnd() throws InterruptedException {
        while (phase != Phase.ENDING) {
            wait();
        }
    }

    /** The moment by which a stop must be over that may take this long: counted from when it was asked for, else now. */
    synchronized Deadline stopWithin(Duration limit) {
        long from = phase == Phase.ENDING ? askedAt : nanoTime.getAsLong();
        return new Deadline(nanoTime, from + limit.toNanos());
    }

    private enum Phase {
        STARTING,
        RUNNING,
        ENDING
    }

    /** The start of an agent. */
    @FunctionalInterface
    interface Start {
        void run() throws Exception;
    }
}
