package io.imexagent.agent.runtime;

import io.imexagent.worker.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time from the start of an agent to its end, which a signal requests. A request during the start interrupts it,
 * since the start may be waiting for a lock that another process holds.
 */
final class Lifetime {

    /** The time from the signal to the end of the process; the rest of 5 s is for the JVM. */
    static final Duration STOP = Duration.ofMillis(4500);

    private static final int FRAMES_LOGGED = 6;
    private static final Logger LOG = LoggerFactory.getLogger(Lifetime.class);

    private final LongSupplier nanoTime;
    private Phase phase = Phase.STARTING;
    private final Thread starter;
    private long requestedAt;

    /** Creates a lifetime whose start runs on the current thread. */
    Lifetime(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.starter = Thread.currentThread();
    }

    /** Requests the end, and returns at once. Thread-safe; repeated calls have no effect. */
    synchronized void end() {
        if (phase == Phase.ENDING) {
            return;
        }
        requestedAt = nanoTime.getAsLong();
        if (phase == Phase.STARTING) {
            starter.interrupt();
        }
        phase = Phase.ENDING;
        notifyAll();
    }

    /** Starts, on the thread that made the lifetime; false if {@link #end} was called meanwhile. */
    boolean start(Start start) throws Exception {
        try {
            start.run();
            return !started();
        } catch (Exception failure) {
            if (started()) {
                // The interruption caused the failure, or the failure does not matter any more.
                return false;
            }
            throw failure;
        }
    }

    /** Ends the phase in which the thread may be interrupted; returns whether {@link #end} was called during it. */
    private synchronized boolean started() {
        if (phase == Phase.STARTING) {
            phase = Phase.RUNNING;
        }
        boolean _ = Thread.interrupted();
        return phase == Phase.ENDING;
    }

    synchronized void awaitEnd() throws InterruptedException {
        while (phase != Phase.ENDING) {
            wait();
        }
    }

    /** Stops the part within {@link #STOP} after {@link #end} was called, or otherwise after now; false if it hangs. */
    boolean stop(Part part) throws InterruptedException {
        return stop(part, stopDeadline());
    }

    synchronized Deadline stopDeadline() {
        long from = phase == Phase.ENDING ? requestedAt : nanoTime.getAsLong();
        return new Deadline(nanoTime, from + STOP.toNanos());
    }

    /** Stops the part, but leaves it if it hangs: the process ends by the deadline even if a disk does not respond. */
    static boolean stop(Part part, Deadline deadline) throws InterruptedException {
        Thread stop = Thread.ofPlatform().name("stop").daemon().start(() -> {
            try {
                part.stop(deadline);
            } catch (InterruptedException ending) {
                Thread.currentThread().interrupt();
            }
        });
        // At least 1 ms, since a join of no time would wait for ever.
        if (stop.join(deadline.left().plus(Duration.ofMillis(1)))) {
            return true;
        }
        LOG.error(
                "the agent did not stop in time and is halted; the next start recovers its claims at=\"{}\"",
                Arrays.stream(stop.getStackTrace())
                        .limit(FRAMES_LOGGED)
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining(" < ")));
        return false;
    }

    private enum Phase {
        STARTING,
        RUNNING,
        ENDING
    }

    @FunctionalInterface
    interface Part {

        /** Stops the part by the deadline that all parts share. Stopping a part that has not started has no effect. */
        void stop(Deadline deadline) throws InterruptedException;
    }

    @FunctionalInterface
    interface Start {
        void run() throws Exception;
    }
}
