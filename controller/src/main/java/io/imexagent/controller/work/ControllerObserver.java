package io.imexagent.controller.work;

import java.time.Duration;

/** Hears how the work goes, for metrics. Called on workers: it must not block. */
public interface ControllerObserver {

    /** An observer that hears nothing. */
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
