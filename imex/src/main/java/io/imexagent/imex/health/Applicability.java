package io.imexagent.imex.health;

/** Whether the node is one on which nvidia-imex has something to do. */
public sealed interface Applicability {

    /** It is. */
    record Applicable() implements Applicability {}

    /**
     * It is not.
     *
     * @param reason why, as a clause
     */
    record NotApplicable(String reason) implements Applicability {}

    /**
     * Nobody can tell.
     *
     * @param reason why, as a clause
     */
    record Unknown(String reason) implements Applicability {}
}
