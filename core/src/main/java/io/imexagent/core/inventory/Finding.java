package io.imexagent.core.inventory;

/**
 * Something about the node that an operator should know, with what to do about it.
 *
 * @param code a stable name in lower-case words joined by hyphens, fit for a metric label; the set of codes is bounded
 * @param severity how bad it is
 * @param message the fact, in one sentence
 * @param remedy what to do about it, in one sentence
 */
public record Finding(String code, Severity severity, String message, String remedy) {

    /** How bad a finding is. */
    public enum Severity {
        /** Worth knowing; nothing is wrong. */
        INFO,
        /** Something may surprise; devices are served all the same. */
        WARNING,
        /** Devices cannot be served as configured. */
        ERROR
    }
}
