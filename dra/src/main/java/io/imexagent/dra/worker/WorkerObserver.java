package io.imexagent.dra.worker;

import java.time.Duration;

/** Hears what a worker does, for metrics. Called on the worker's and its callers' threads; must not block. */
public interface WorkerObserver {

    /** An observer that does not care. */
    WorkerObserver NONE = new WorkerObserver() {};

    /** A task has ended, well or not. */
    default void ended(String worker, Duration took) {}

    /** A task was turned away since the queue was full, or the worker closed. */
    default void rejected(String worker) {}
}
