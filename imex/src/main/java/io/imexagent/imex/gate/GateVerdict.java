package io.imexagent.imex.gate;

/** Whether nvidia-imex should run on this host. */
public sealed interface GateVerdict {

    /** The reason in one line, fit for the journal. */
    String reason();

    /** It should, for this reason. */
    record Open(String reason) implements GateVerdict {}

    /** It should not: which of the questions said no, what said so, and what would change it. */
    record Closed(Cause cause, String reason) implements GateVerdict {}

    /** It could not be found out; the reason says what was in the way, and what to do. */
    record Undetermined(String reason) implements GateVerdict {}

    /** Why nvidia-imex should not run, in the order in which the questions are asked. */
    enum Cause {
        /** {@code imex.service.gate} is off. */
        SWITCHED_OFF,
        VENDOR,
        NO_GPU,
        NOT_CAPABLE,
        NO_DRIVER
    }
}
