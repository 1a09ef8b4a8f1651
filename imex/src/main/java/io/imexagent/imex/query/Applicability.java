package io.imexagent.imex.query;

/** Whether the node is one on which nvidia-imex has something to do. */
public sealed interface Applicability {

    /** It is. */
    record Applicable() implements Applicability {}

    /** It is not; the reason is a clause. */
    record NotApplicable(String reason) implements Applicability {}

    /** It is not known; the reason is a clause. */
    record Unknown(String reason) implements Applicability {}
}
