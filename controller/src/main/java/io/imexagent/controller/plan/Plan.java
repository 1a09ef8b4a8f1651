package io.imexagent.controller.plan;

import java.util.List;
import java.util.Optional;

/**
 * What is to be done about a ComputeDomain now.
 *
 * @param step the next step; empty where nothing is to be done, or has to wait
 * @param problems what its owner should know
 */
public record Plan(Optional<Step> step, List<Problem> problems) {

    /** Copies the problems in. */
    public Plan {
        problems = List.copyOf(problems);
    }

    static Plan next(Step step) {
        return new Plan(Optional.of(step), List.of());
    }

    static Plan settled(List<Problem> problems) {
        return new Plan(Optional.empty(), problems);
    }
}
