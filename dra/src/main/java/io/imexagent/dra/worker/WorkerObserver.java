package io.imexagent.dra.worker;

import java.time.Duration;

/** Is told what a lane does, for metrics. Called on the lane's and its callers' threads; must not block. */
public interface WorkerObserver {

    /** An observer that does not care. */
    WorkerObserver NONE = new WorkerObserver() {};

    /** A task has ended, well or not. */
    default void ended(String lane, Duration took) {}

    /** A task was turned away since the queue was full, or the lane closed. */
    default void rejected(String lane) {}
}
