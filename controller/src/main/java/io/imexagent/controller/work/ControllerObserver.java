package io.imexagent.controller.work;

import java.time.Duration;

/** Hears how the work goes, for metrics. Called on workers: it must not block. */
public interface ControllerObserver {

    /** An observer that hears nothing. */
    ControllerObserver NONE = new ControllerObserver() {};

    /** A ComputeDomain was brought as far as it could be. */
    default void reconciled(Duration took) {}

    /**
     * A call for a ComputeDomain failed.
     *
     * @param kind the kind of failure, in lower-case words joined by underscores
     */
    default void failed(String kind) {}
}
