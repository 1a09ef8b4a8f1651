package io.imexagent.core.check;

import java.util.Optional;

/** The result of a check: the fact, as a sentence, and the remedy. The ID is in lower-case words joined by hyphens. */
public record CheckResult(String id, Severity severity, String message, Optional<String> remedy) {

    public static CheckResult ok(String id, String message) {
        return new CheckResult(id, Severity.OK, message, Optional.empty());
    }

    public static CheckResult warning(String id, String message, String remedy) {
        return new CheckResult(id, Severity.WARNING, message, Optional.of(remedy));
    }

    public static CheckResult critical(String id, String message, String remedy) {
        return new CheckResult(id, Severity.CRITICAL, message, Optional.of(remedy));
    }
}
