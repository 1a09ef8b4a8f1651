package io.imexagent.imex.health;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** How the local daemon is, by what an operator would do about it; the detail is what the state leaves open. */
public record DaemonHealth(State state, String detail) {

    /** All labels, for metrics that show every state. */
    public static final List<String> LABELS = Arrays.stream(State.values())
            .map(state -> new DaemonHealth(state).label())
            .distinct()
            .toList();

    /** A state that leaves nothing open. */
    public DaemonHealth(State state) {
        this(state, "");
    }

    /** The state of a daemon. */
    public enum State {
        /** It has nothing to do here; the detail is the reason, a clause. */
        NOT_APPLICABLE,
        NOT_INSTALLED,
        MASKED,
        /** It does not run, and nothing went wrong; the detail is whether it is enabled at boot, in systemd's word. */
        INACTIVE,
        /** The same, since a condition kept it from starting. */
        SKIPPED,
        /** It failed; the detail is systemd's word for how. */
        FAILED,
        /** It is on its way; the detail says how far it is. */
        STARTING,
        WAITING_FOR_PEERS,
        WAITING_FOR_RECOVERY,
        READY,
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
        return (state == State.SKIPPED ? State.INACTIVE : state).name().toLowerCase(Locale.ROOT);
    }
}
