package io.imexagent.dra.claim;

import java.time.Duration;

/** Runs short tasks later. One timer serves everything in this package that waits. */
@FunctionalInterface
public interface Timer {

    /**
     * Runs the task once after the delay. Tasks share a thread and must not block.
     *
     * @return takes the task back
     */
    Pending after(Duration delay, Runnable task);

    /** A task that has not run yet. */
    @FunctionalInterface
    interface Pending {

        /** Takes the task back; without effect once it has begun. */
        void cancel();
    }
}
