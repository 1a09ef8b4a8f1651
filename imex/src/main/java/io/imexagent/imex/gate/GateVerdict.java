package io.imexagent.imex.gate;

/** Whether nvidia-imex should run on this host. */
public sealed interface GateVerdict {

    /** The reason in one line, as text for the journal. */
    String reason();

    record Open(String reason) implements GateVerdict {}

    /**
     * nvidia-imex should not run; {@code cause} is the failed check, and {@code reason} states what would change the
     * result. If the state may pass, retries go on, see {@link SkippedStart}.
     */
    record Closed(GateCause cause, String reason, boolean mayPass) implements GateVerdict {

        public Closed(GateCause cause, String reason) {
            this(cause, reason, false);
        }
    }

    /**
     * The gate could not decide; the reason names the obstacle and the remedy. The state may pass if a driver that is
     * just coming up can be in it.
     */
    record Undetermined(String reason, boolean mayPass) implements GateVerdict {

        public Undetermined(String reason) {
            this(reason, false);
        }
    }

    /** The reason why nvidia-imex should not run, in the order of the checks. */
    enum GateCause {
        /** {@code imex.service.gate} is off. */
        SWITCHED_OFF,
        VENDOR,
        NO_GPU,
        NOT_CAPABLE,
        /** The driver is not up, and may still come up. */
        NO_DRIVER,
        /** A GPU that is not known otherwise may still register in a multi-node NVLink fabric. */
        FABRIC_NOT_READY
    }
}
