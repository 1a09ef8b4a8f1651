package io.imexagent.agent.runtime;

import io.imexagent.dra.worker.Deadline;

/** A part of the running agent that can be stopped. */
@FunctionalInterface
interface Part {

    /** Stops the part in order, by the deadline that all parts share. Stopping what has not started is no fault. */
    void stop(Deadline deadline) throws InterruptedException;
}
