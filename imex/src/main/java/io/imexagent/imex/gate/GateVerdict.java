package io.imexagent.imex.gate;

/** Whether nvidia-imex should run on this host. */
public sealed interface GateVerdict {

    /** The reason in one line, fit for the journal. */
    String reason();

    record Open(String reason) implements GateVerdict {}

    /**
     * It should not: the check that failed, and a reason that says what would change it. A state that may pass does
     * not end retries, see {@link SkippedStart}.
     */
    record Closed(GateCause cause, String reason, boolean mayPass) implements GateVerdict {

        public Closed(GateCause cause, String reason) {
            this(cause, reason, false);
        }
    }

    /**
     * It could not be found out; the reason says what was in the way, and what to do. It may pass where a driver
     * that is just coming up can be in such a state.
     */
    record Undetermined(String reason, boolean mayPass) implements GateVerdict {

        public Undetermined(String reason) {
            this(reason, false);
        }
    }

    /** Why nvidia-imex should not run, in the order of the checks. */
    enum GateCause {
        /** {@code imex.service.gate} is off. */
        SWITCHED_OFF,
        VENDOR,
        NO_GPU,
        NOT_CAPABLE,
        /** The driver may still come. */
        NO_DRIVER,
        /** A GPU of which nothing else is known may still become a member of a multi-node NVLink fabric. */
        FABRIC_NOT_READY
    }
}
