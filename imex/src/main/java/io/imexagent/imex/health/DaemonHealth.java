package io.imexagent.imex.health;

import io.imexagent.core.text.DisplayedName;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The state of the local daemon, by what an operator would do about it; {@code detail} completes the state. */
public record DaemonHealth(DaemonCondition state, String detail) {

    /** All labels, for metrics with one series per state. */
    public static final List<String> LABELS = Arrays.stream(DaemonCondition.values())
            .map(state -> new DaemonHealth(state).label())
            .distinct()
            .toList();

    /** Creates a state without a detail. */
    public DaemonHealth(DaemonCondition state) {
        this(state, "");
    }

    /** The state of a daemon. */
    public enum DaemonCondition implements DisplayedName {
        /** The node needs no daemon; the detail is the reason, a clause. */
        NOT_APPLICABLE,
        NOT_INSTALLED,
        /** An administrator masked the unit; the detail is {@code masked-runtime} if the next boot unmasks it. */
        MASKED,
        /** systemd cannot load the unit's file; the detail is the reason, a clause. */
        BAD_UNIT_FILE,
        /** The unit does not run, and did not fail; the detail is systemd's word for whether it is enabled at boot. */
        INACTIVE,
        /** The unit does not run, since a condition kept it from starting; the detail is the same word. */
        SKIPPED,
        /**
         * The unit does not run, since a unit that it requires does not run, or an assertion did not hold; the detail
         * is a clause.
         */
        BLOCKED,
        /** The unit failed; the detail is systemd's word for the kind of failure. */
        FAILED,
        /** The daemon ends and is restarted repeatedly; the detail is systemd's word for the failure, or empty. */
        CRASH_LOOP,
        /** The daemon is starting; the detail is the stage of the start. */
        STARTING,
        WAITING_FOR_PEERS,
        WAITING_FOR_RECOVERY,
        READY,
        /** The daemon is stopping; the detail is systemd's word for the failure that ends it, or empty. */
        STOPPING,
        /** The unit runs, but the daemon does not answer; the detail is a clause. */
        UNREACHABLE,
        /** The daemon reports that it is not READY; the detail is the reported state. */
        NOT_READY,
        /** The state is unknown; the detail is the reason, a clause. */
        UNKNOWN
    }

    /** The state in lower-case words joined by underscores, as a metric label. */
    public String label() {
        DaemonCondition shown =
                state == DaemonCondition.SKIPPED || state == DaemonCondition.BLOCKED ? DaemonCondition.INACTIVE : state;
        return shown.name().toLowerCase(Locale.ROOT);
    }
}
