package io.imexagent.agent.runtime;

/** A part of the running agent that can be stopped. */
@FunctionalInterface
interface Part {

    /** Stops the part in order, within its own time limits. Stopping what has not started is no fault. */
    void stop() throws InterruptedException;
}
