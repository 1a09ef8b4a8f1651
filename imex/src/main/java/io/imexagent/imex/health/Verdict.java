package io.imexagent.imex.health;

import io.imexagent.core.check.Severity;

/**
 * What it all comes to, for people: in a few words, with the likely cause and the next step, a sentence each without
 * its full stop, which are empty where nothing is wrong. The code is a stable name in lower-case words joined by
 * hyphens, of a bounded set.
 */
public record Verdict(VerdictLevel level, String code, String summary, String cause, String nextStep) {

    /** The code of a daemon that ends again and again. */
    private static final String CRASH_LOOP = "crash-loop";

    public enum VerdictLevel {
        UP,
        /** Some nodes of the domain are missing or could not be queried; workloads on the others go on. */
        DEGRADED,
        DOWN,
        NOT_APPLICABLE,
        UNKNOWN
    }

    /** How bad that is. */
    public Severity severity() {
        return switch (level) {
            case UP, NOT_APPLICABLE -> Severity.OK;
            case DEGRADED, UNKNOWN -> Severity.WARNING;
            case DOWN -> Severity.CRITICAL;
        };
    }

    /** Whether this is no news after the other: the same, or the same crash loop some restarts later. */
    public boolean repeats(Verdict before) {
        return equals(before) || (code.equals(CRASH_LOOP) && code.equals(before.code) && level == before.level);
    }

    /** Whether there is nothing to do. */
    public boolean isWell() {
        return severity() == Severity.OK;
    }
}
