package io.imexagent.imex.health;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How the local daemon is, by what an operator would do about it; the detail is what the state leaves open. */
public record DaemonHealth(DaemonCondition state, String detail) {

    /** All labels, for metrics that show every state. */
    public static final List<String> LABELS = Arrays.stream(DaemonCondition.values())
            .map(state -> new DaemonHealth(state).label())
            .distinct()
            .toList();

    /** A state that leaves nothing open. */
    public DaemonHealth(DaemonCondition state) {
        this(state, "");
    }

    /** The state of a daemon. */
    public enum DaemonCondition {
        /** The node needs no daemon; the detail is the reason, a clause. */
        NOT_APPLICABLE,
        NOT_INSTALLED,
        /** An administrator masked it; the detail is {@code masked-runtime} where the next boot lifts that. */
        MASKED,
        /** systemd cannot load the file of its unit; the detail is the reason, a clause. */
        BAD_UNIT_FILE,
        /** It does not run, and nothing went wrong; the detail is whether it is enabled at boot, in systemd's word. */
        INACTIVE,
        /** The same, since a condition kept it from starting. */
        SKIPPED,
        /**
         * The same, since a unit that it requires does not run, or an assertion did not hold; the detail is a clause.
         */
        BLOCKED,
        /** It failed; the detail is systemd's word for how. */
        FAILED,
        /** It ends again and again, and systemd starts it each time; the detail is systemd's word for how, or empty. */
        CRASH_LOOP,
        /** It is on its way; the detail says how far it is. */
        STARTING,
        WAITING_FOR_PEERS,
        WAITING_FOR_RECOVERY,
        READY,
        /** It is stopping; the detail is systemd's word for the failure that ends it, or empty. */
        STOPPING,
        /** Its unit runs, and the daemon does not answer; the detail is a clause. */
        UNREACHABLE,
        /** It reports that it is not READY; the detail is the state that it reports. */
        NOT_READY,
        /** It is not known; the detail is the reason, a clause. */
        UNKNOWN
    }

    /** The state in lower-case words joined by underscores, fit for a metric label. */
    public String label() {
        DaemonCondition shown =
                state == DaemonCondition.SKIPPED || state == DaemonCondition.BLOCKED ? DaemonCondition.INACTIVE : state;
        return shown.name().toLowerCase(Locale.ROOT);
    }
}
