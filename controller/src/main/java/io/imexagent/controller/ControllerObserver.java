package io.imexagent.controller;

import java.time.Duration;

/** Is called as work ends, for metrics, on the workers: it must not block. */
public interface ControllerObserver {

    /** An observer that does nothing. */
    ControllerObserver NONE = new ControllerObserver() {};

    /** A ComputeDomain, a clique or a node was brought as far as it could be. */
    default void reconciled(Duration took) {}

    /**
     * Work failed.
     *
     * @param kind the kind of failure of the call, in lower-case words joined by underscores; {@code defect} where this
     *     program is at fault
     */
    default void failed(String kind) {}
}
