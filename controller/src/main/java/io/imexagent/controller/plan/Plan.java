package io.imexagent.controller.plan;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is to be done about a ComputeDomain now.
 *
 * @param step the next step; empty where nothing is to be done, or has to wait
 * @param problems what its owner should know
 * @param lookAgain when to look again even if nothing changes
 */
public record Plan(Optional<Step> step, List<Problem> problems, Optional<Instant> lookAgain) {

    /** Copies the problems in. */
    public Plan {
        problems = List.copyOf(problems);
    }

    static Plan next(Step step) {
        return new Plan(Optional.of(step), List.of(), Optional.empty());
    }

    static Plan settled(List<Problem> problems) {
        return new Plan(Optional.empty(), problems, Optional.empty());
    }

    static Plan waiting(Problem.Reason reason, String message) {
        return settled(List.of(new Problem(reason, message)));
    }

    static Plan until(Instant instant, Problem told) {
        return new Plan(Optional.empty(), List.of(told), Optional.of(instant));
    }
}
