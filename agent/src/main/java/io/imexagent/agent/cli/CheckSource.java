package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import java.util.List;
import java.util.Optional;

/** Checks what must be so before the agent can serve. */
@FunctionalInterface
public interface CheckSource {

    /** All checks, in the order in which they are told. */
    List<Check> check(AgentConfig config) throws InterruptedException;

    /**
     * What became of one check.
     *
     * @param name what was checked, in lower-case words joined by hyphens
     * @param verdict how it came out
     * @param message what is so, in one sentence
     * @param remedy what to do about it; empty where there is nothing to do
     */
    record Check(String name, Verdict verdict, String message, Optional<String> remedy) {}

    /** How a check came out, the best first. */
    enum Verdict {
        /** It is so. */
        OK,
        /** It is not, and that may surprise. */
        WARNING,
        /** It is not, and the agent cannot serve as it should. */
        FAILURE
    }
}
