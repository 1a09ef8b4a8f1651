package io.imexagent.core.check;

import java.util.Optional;

/** A check's outcome: the fact, a sentence, and what to do. The ID is in lower-case words joined by hyphens. */
public record CheckResult(String id, CheckStatus status, String message, Optional<String> remedy) {

    public static CheckResult ok(String id, String message) {
        return new CheckResult(id, CheckStatus.OK, message, Optional.empty());
    }

    public static CheckResult warning(String id, String message, String remedy) {
        return new CheckResult(id, CheckStatus.WARNING, message, Optional.of(remedy));
    }

    public static CheckResult failure(String id, String message, String remedy) {
        return new CheckResult(id, CheckStatus.FAILURE, message, Optional.of(remedy));
    }

    /** How a check came out, the best first. */
    public enum CheckStatus {
        OK,
        /** Something may surprise; the agent serves all the same. */
        WARNING,
        /** The agent cannot serve as it is configured. */
        FAILURE
    }
}
