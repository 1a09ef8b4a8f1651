package io.imexagent.imex.health;

import io.imexagent.core.check.Severity;

/**
 * The overall verdict for people: a short summary, the likely cause and the next step, a sentence each without its full
 * stop; cause and next step are empty if nothing is wrong. The code is a stable name of lower-case words joined by
 * hyphens, from a bounded set.
 */
public record Verdict(VerdictLevel level, String code, String summary, String cause, String nextStep) {

    /** The code of a daemon in a crash loop. */
    private static final String CRASH_LOOP = "crash-loop";

    public enum VerdictLevel {
        UP,
        /** Some nodes of the domain are missing or could not be queried; workloads on the others continue. */
        DEGRADED,
        DOWN,
        NOT_APPLICABLE,
        UNKNOWN
    }

    /** The severity of the verdict. */
    public Severity severity() {
        return switch (level) {
            case UP, NOT_APPLICABLE -> Severity.OK;
            case DEGRADED, UNKNOWN -> Severity.WARNING;
            case DOWN -> Severity.CRITICAL;
        };
    }

    /** Whether this is no change from the other verdict: it is equal, or the same crash loop some restarts later. */
    public boolean repeats(Verdict before) {
        return equals(before) || (code.equals(CRASH_LOOP) && code.equals(before.code) && level == before.level);
    }

    /** Whether there is nothing to do. */
    public boolean isWell() {
        return severity() == Severity.OK;
    }
}
