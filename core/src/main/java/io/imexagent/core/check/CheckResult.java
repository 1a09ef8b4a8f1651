package io.imexagent.core.check;

import java.util.Optional;

/** A check's outcome: the fact, a sentence, and what to do. The ID is in lower-case words joined by hyphens. */
public record CheckResult(String id, Status status, String message, Optional<String> remedy) {

    public static CheckResult ok(String id, String message) {
        return new CheckResult(id, Status.OK, message, Optional.empty());
    }

    public static CheckResult warning(String id, String message, String remedy) {
        return new CheckResult(id, Status.WARNING, message, Optional.of(remedy));
    }

    public static CheckResult failure(String id, String message, String remedy) {
        return new CheckResult(id, Status.FAILURE, message, Optional.of(remedy));
    }

    /** How a check came out, the best first. */
    public enum Status {
        OK,
        /** Something may surprise; the agent serves all the same. */
        WARNING,
        /** The agent cannot serve as it is configured. */
        FAILURE
    }
}
