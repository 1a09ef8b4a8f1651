package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import io.imexagent.imex.health.DaemonHealth.DaemonCondition;
import io.imexagent.imex.health.ImexReading.Applicability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Judges a reading of nvidia-imex: reading → health. Pure. */
public final class HealthPlanner {

    /** The time after a start for which earlier restarts count: a longer run has survived their cause. */
    private static final Duration RECENT = Duration.ofMinutes(10);

    private HealthPlanner() {}

    public static ImexHealth judge(ImexReading reading) {
        DaemonHealth daemon = restsRightly(reading)
                .map(reason -> new DaemonHealth(DaemonCondition.NOT_APPLICABLE, reason))
                .orElseGet(() -> installed(reading));
        DomainHealth domain = DomainHealth.of(
                reading.domain().map(report -> report.marked(reading.setting().host())));
        List<LinkFault> faults = domain.report().map(HealthPlanner::faults).orElse(List.of());
        return new ImexHealth(
                reading.at(),
                daemon,
                domain,
                faults,
                notes(reading, daemon, domain.report()),
                new Verdicts(reading, daemon, new DomainVerdicts(domain)).verdict(),
                // Otherwise each run of a crash loop would count as a change.
                daemon.state() == DaemonCondition.READY
                        ? reading.unit().facts().start().microseconds()
                        : OptionalLong.empty(),
                nodesFile(reading, daemon));
    }

    /** The file of nodes to publish for other nodes; a missing or unreadable file has no lines. */
    private static Optional<NodesFile> nodesFile(ImexReading reading, DaemonHealth daemon) {
        boolean works = reading.installed() && daemon.state() != DaemonCondition.NOT_APPLICABLE;
        return works
                ? Optional.of(NodesFile.of(
                        reading.nodes().orElse(List.of()),
                        reading.setting().host().and(reading.files().resolved()),
                        new FileNotes(reading).nodesFileChanged().isPresent()))
                : Optional.empty();
    }

    /** The reason why the daemon need not run; empty if it runs, or should run. */
    private static Optional<String> restsRightly(ImexReading reading) {
        boolean runs = switch (reading.unit().state()) {
            // A unit that is enabled and failed counts as one that should run, since its operator enabled it.
            case ACTIVE, ACTIVATING, CRASH_LOOP, DEACTIVATING, FAILED -> true;
            case FAILED_DISABLED, NOT_FOUND, MASKED, BAD_FILE, INACTIVE, SKIPPED, BLOCKED -> false;
            case UNKNOWN -> reading.local().answer().isPresent();
        };
        if (runs) {
            return Optional.empty();
        }
        if (reading.setting().applicability() instanceof Applicability.NotApplicable(String reason)) {
            return Optional.of(reason);
        }
        return reading.setting().hostManaged()
                ? Optional.empty()
                : Optional.of("this agent does not serve the channels of the host's nvidia-imex (HostManagedIMEX is"
                        + " off), and the host's daemon does not run");
    }

    private static DaemonHealth installed(ImexReading reading) {
        if (!reading.installed()) {
            return new DaemonHealth(DaemonCondition.NOT_INSTALLED);
        }
        String detail = reading.unit().detail();
        return switch (reading.unit().state()) {
            // The tool may be installed with a daemon that no unit started.
            case NOT_FOUND ->
                reading.local()
                        .answer()
                        .map(reported -> state(reported, reading))
                        .orElse(new DaemonHealth(DaemonCondition.NOT_INSTALLED));
            case MASKED -> new DaemonHealth(DaemonCondition.MASKED, detail);
            case BAD_FILE -> new DaemonHealth(DaemonCondition.BAD_UNIT_FILE, detail);
            case INACTIVE -> new DaemonHealth(DaemonCondition.INACTIVE, detail);
            case SKIPPED -> new DaemonHealth(DaemonCondition.SKIPPED, detail);
            case BLOCKED -> new DaemonHealth(DaemonCondition.BLOCKED, detail);
            case FAILED, FAILED_DISABLED -> new DaemonHealth(DaemonCondition.FAILED, detail);
            case CRASH_LOOP -> new DaemonHealth(DaemonCondition.CRASH_LOOP, detail);
            case DEACTIVATING -> new DaemonHealth(DaemonCondition.STOPPING, detail);
            case ACTIVATING -> running(reading, true, starting(detail));
            case ACTIVE -> running(reading, false, "");
            case UNKNOWN -> running(reading, false, detail);
        };
    }

    /** The stage of a start in systemd, a clause. */
    private static String starting(String subState) {
        return switch (subState) {
            case "queued" -> "its start waits for other units";
            case "condition" -> "its conditions, such as the gate of imex-agent, are being checked (condition)";
            case "start-pre" -> "what its unit runs before it has not ended yet (start-pre)";
            case "start" -> "its process is starting (start)";
            case "start-post" -> "what its unit runs after its start has not ended yet (start-post)";
            default -> "its unit is " + subState;
        };
    }

    private static DaemonHealth running(ImexReading reading, boolean starting, String unit) {
        return switch (reading.local()) {
            case QueryResult.QueryAnswered<PrintedState<DaemonState>>(PrintedState<DaemonState> state) ->
                state(state, reading);
            case QueryResult.QueryFailed<?>(QueryResult.Failure failure, String detail) -> {
                if (failure == QueryResult.Failure.NOT_ASKED) {
                    yield new DaemonHealth(
                            starting ? DaemonCondition.STARTING : DaemonCondition.UNKNOWN, starting ? unit : detail);
                }
                Optional<CommandService.Silence> silence = reading.silence();
                if (silence.isPresent()) {
                    yield new DaemonHealth(
                            DaemonCondition.UNKNOWN,
                            silence.get().reason() + " in config.cfg, so the daemon answers no question");
                }
                if (failure == QueryResult.Failure.UNREACHABLE) {
                    if (beganAgain(reading)) {
                        yield new DaemonHealth(DaemonCondition.CRASH_LOOP);
                    }
                    yield starting
                            ? new DaemonHealth(DaemonCondition.STARTING, unit)
                            : new DaemonHealth(DaemonCondition.UNREACHABLE, detail);
                }
                yield new DaemonHealth(
                        DaemonCondition.UNKNOWN, unit.isEmpty() || starting ? detail : unit + ", and " + detail);
            }
        };
    }

    /**
     * Whether systemd has just restarted the daemon, and not for the first time. A run that has not become ready is
     * then part of a crash loop, whatever the state of the unit is.
     */
    private static boolean beganAgain(ImexReading reading) {
        boolean recent = reading.files()
                .started()
                .map(start -> start.plus(RECENT).isAfter(reading.at()))
                .orElse(reading.unit().state() == UnitState.ActiveState.ACTIVATING);
        return recent && reading.unit().facts().restarts() > 1;
    }

    private static DaemonHealth state(PrintedState<DaemonState> printed, ImexReading reading) {
        return printed.state()
                .map(state -> switch (state) {
                    case INITIALIZING, STARTING_AUTH_SERVER, INIT_GPU ->
                        beganAgain(reading)
                                ? new DaemonHealth(DaemonCondition.CRASH_LOOP)
                                : new DaemonHealth(DaemonCondition.STARTING, state.name());
                    case WAITING_FOR_PEERS -> new DaemonHealth(DaemonCondition.WAITING_FOR_PEERS);
                    case WAITING_FOR_RECOVERY -> new DaemonHealth(DaemonCondition.WAITING_FOR_RECOVERY);
                    case READY -> new DaemonHealth(DaemonCondition.READY);
                    case SHUTTING_DOWN -> new DaemonHealth(DaemonCondition.STOPPING);
                    case UNAVAILABLE -> new DaemonHealth(DaemonCondition.NOT_READY, state.name());
                })
                .orElseGet(() -> new DaemonHealth(DaemonCondition.NOT_READY, printed.word()));
    }

    private static List<LinkFault> faults(DomainReport report) {
        return Arrays.stream(LinkFault.LinkFaultKind.values())
                .flatMap(kind -> report.nodes().stream()
                        .flatMap(from -> from.connections().entrySet().stream()
                                .filter(to -> to.getValue().is(kind.state()))
                                .map(to -> new LinkFault(kind, report.name(from.index()), report.name(to.getKey())))))
                .toList();
    }

    private static List<String> notes(ImexReading reading, DaemonHealth daemon, Optional<DomainReport> report) {
        var notes = new ArrayList<String>();
        if (!reading.installed()) {
            return notes;
        }
        reading.configuration().stream()
                .flatMap(configuration -> configuration.faults().stream())
                .forEach(fault ->
                        notes.add("config.cfg of nvidia-imex: " + fault + "; correct it, then restart nvidia-imex"));
        reading.nodes().ifPresent(nodes -> notes(nodes, notes));
        report.filter(reported ->
                        reported.local().isEmpty() && !reading.setting().host().equals(NodeIdentity.NONE))
                .ifPresent(reported -> notes.add(unmarked(reported, reading.setting())));
        unitNotes(reading, daemon, notes);
        notes.addAll(new FileNotes(reading).notes());
        return notes;
    }

    private static void unitNotes(ImexReading reading, DaemonHealth daemon, List<String> notes) {
        UnitState unit = reading.unit();
        // Without systemctl, as in a pod, the unit's state matters only if the daemon does not answer.
        if (unit.state() == UnitState.ActiveState.UNKNOWN
                && reading.local().answer().isEmpty()) {
            notes.add("the unit's state is not known: " + unit.detail());
        }
        if (unit.state() == UnitState.ActiveState.ACTIVE) {
            String fault = unit.facts().fileFault();
            if (!fault.isEmpty()) {
                notes.add("nvidia-imex runs, and nothing will start it once it has ended: " + fault
                        + "; put its unit in order, then systemctl daemon-reload");
            }
            int restarts = unit.facts().restarts();
            if (restarts > 0 && daemon.state() != DaemonCondition.CRASH_LOOP) {
                notes.add("systemd has restarted nvidia-imex " + times(restarts)
                        + " since it was last started by hand or at boot; 'journalctl -u nvidia-imex' says why"
                        + " it ended");
            }
        }
    }

    static String times(int count) {
        return count == 1 ? "once" : count + " times";
    }

    private static void notes(List<String> file, List<String> notes) {
        if (file.isEmpty()) {
            notes.add("nodes_config.cfg names no node; write one address on each line, the same file on all nodes of"
                    + " this rack, then restart nvidia-imex");
        }
        var seen = new HashSet<Optional<NodeAddress>>();
        var repeated = new LinkedHashSet<String>();
        file.stream().filter(node -> !seen.add(NodeAddress.of(node))).forEach(repeated::add);
        if (!repeated.isEmpty()) {
            notes.add("nodes_config.cfg names more than once: " + String.join(", ", repeated)
                    + "; remove the repetition on all nodes of this rack, then restart nvidia-imex");
        }
    }

    /** The reason why this node's place in the domain is unknown, and the consequence. */
    private static String unmarked(DomainReport report, ImexReading.ImexNode setting) {
        List<String> fitting = report.fitting(setting.host()).stream()
                .map(index -> index + " (" + report.name(index) + ")")
                .toList();
        return (fitting.isEmpty()
                        ? "no node of the domain has an address or a name of this host"
                        : "several nodes of the domain have an address or a name of this host: "
                                + String.join(", ", fitting))
                + ", so the racks' page does not show its connections; name this host in nodes_config.cfg once, by one"
                + " of its addresses, then restart nvidia-imex once the node is drained";
    }
}
