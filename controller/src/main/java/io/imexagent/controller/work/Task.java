package io.imexagent.controller.work;

import io.imexagent.kubernetes.ApiException;
import java.time.Duration;
import java.util.Optional;

/** One piece of work, done step by step. */
interface Task {

    /**
     * Plans by what is known now, and makes the calls of the next step.
     *
     * @return empty where a step was done; else when to look again even if nothing changes
     */
    Optional<Rest> advance() throws ApiException;

    /**
     * Nothing is left to do.
     *
     * @param lookAgain when to look again even if nothing changes
     */
    record Rest(Optional<Duration> lookAgain) {

        static Optional<Rest> now() {
            return Optional.of(new Rest(Optional.empty()));
        }

        static Optional<Rest> until(Duration wait) {
            return Optional.of(new Rest(Optional.of(wait)));
        }
    }
}
