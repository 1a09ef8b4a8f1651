package io.imexagent.imex.health;

import io.imexagent.imex.report.DaemonState;
import java.util.List;

/** How the local daemon is: one variant for each thing that an operator would do something else about. */
public sealed interface DaemonHealth {

    /** All labels, for metrics that show every state. */
    List<String> LABELS = List.of(
            "not_applicable",
            "not_installed",
            "masked",
            "inactive",
            "failed",
            "starting",
            "waiting_for_peers",
            "waiting_for_recovery",
            "ready",
            "stopping",
            "unreachable",
            "not_ready",
            "unknown");

    /** The state in lower-case words joined by underscores, fit for a metric label. */
    default String label() {
        return switch (this) {
            case NotApplicable not -> "not_applicable";
            case NotInstalled not -> "not_installed";
            case Masked masked -> "masked";
            case Inactive inactive -> "inactive";
            case Failed failed -> "failed";
            case Starting starting -> "starting";
            case WaitingForPeers waiting -> "waiting_for_peers";
            case WaitingForRecovery waiting -> "waiting_for_recovery";
            case Ready ready -> "ready";
            case Stopping stopping -> "stopping";
            case Unreachable unreachable -> "unreachable";
            case NotReady not -> "not_ready";
            case Unknown unknown -> "unknown";
        };
    }

    /** It has nothing to do here; the reason is a clause. */
    record NotApplicable(String reason) implements DaemonHealth {}

    /** There is neither a unit nor a tool. */
    record NotInstalled() implements DaemonHealth {}

    /** An administrator masked its unit. */
    record Masked() implements DaemonHealth {}

    /**
     * It does not run, and nothing went wrong.
     *
     * @param fileState whether it is enabled at boot, in systemd's word
     * @param skipped whether a condition kept it from starting
     */
    record Inactive(String fileState, boolean skipped) implements DaemonHealth {}

    /** It failed; the result is systemd's word for how. */
    record Failed(String result) implements DaemonHealth {}

    /** It is on its way; the detail says how far it is. */
    record Starting(String detail) implements DaemonHealth {}

    /** It waits for the other nodes of its list. */
    record WaitingForPeers() implements DaemonHealth {}

    /** It waits for nodes that still clean up after a loss. */
    record WaitingForRecovery() implements DaemonHealth {}

    /** It works. */
    record Ready() implements DaemonHealth {}

    /** It is stopping. */
    record Stopping() implements DaemonHealth {}

    /** Its unit runs, and the daemon does not answer; the detail is a clause. */
    record Unreachable(String detail) implements DaemonHealth {}

    /** It says that it is in a state which is not READY and has no name here. */
    record NotReady(DaemonState state) implements DaemonHealth {}

    /** Nobody can tell; the reason is a clause. */
    record Unknown(String reason) implements DaemonHealth {}
}
