package io.imexagent.imex.health;

/**
 * What it all comes to, for people.
 *
 * @param level how bad it is
 * @param code a stable name in lower-case words joined by hyphens; the set of codes is bounded
 * @param summary how it is, in a few words
 * @param cause the likely cause, one sentence without its full stop; empty where nothing is wrong
 * @param nextStep what to do, likewise
 */
public record Verdict(Level level, String code, String summary, String cause, String nextStep) {

    /** How bad it is. */
    public enum Level {
        /** All is well. */
        UP,
        /** Some of the domain is missing, or could not be asked; what runs on the rest goes on. */
        DEGRADED,
        /** No workload of this node can use IMEX. */
        DOWN,
        /** The host's nvidia-imex has nothing to do here. */
        NOT_APPLICABLE,
        /** It is not known. */
        UNKNOWN
    }
}
