package io.imexagent.core.inventory;

import io.imexagent.core.check.Severity;

/**
 * A fact about the node that an operator should know, and the remedy: a sentence each. The code is a stable name in
 * lower-case words joined by hyphens, fit for a metric label; the set of codes is bounded.
 */
public record Finding(String code, Severity severity, String message, String remedy) {

    public static Finding critical(String code, String message, String remedy) {
        return new Finding(code, Severity.CRITICAL, message, remedy);
    }

    public static Finding warning(String code, String message, String remedy) {
        return new Finding(code, Severity.WARNING, message, remedy);
    }
}
