package io.imexagent.imex.health;

import io.imexagent.imex.host.NodesFile;
import io.imexagent.imex.host.UnitState;
import io.imexagent.imex.report.ConnectionState;
import io.imexagent.imex.report.DaemonState;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.report.DomainState;
import io.imexagent.imex.report.NodeReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Judges a reading: reading → health. Pure. */
public final class HealthPlanner {

    private HealthPlanner() {}

    /** The health that the reading leads to. */
    public static ImexHealth judge(ImexReading reading) {
        DaemonHealth daemon = restsRightly(reading)
                .<DaemonHealth>map(DaemonHealth.NotApplicable::new)
                .orElseGet(() -> installed(reading));
        DomainHealth domain = domain(reading.domain());
        Optional<DomainReport> report = reading.domain().told();
        List<LinkFault> faults = report.map(HealthPlanner::faults).orElse(List.of());
        return new ImexHealth(
                reading.at(),
                daemon,
                domain,
                report,
                faults,
                notes(reading),
                new Verdicts(reading, faults).of(daemon, domain));
    }

    /** Why it is right that the daemon does not run; empty where it runs, or should. */
    private static Optional<String> restsRightly(ImexReading reading) {
        boolean runs = switch (reading.unit()) {
            case UnitState.Active _, UnitState.Activating _, UnitState.Deactivating _ -> true;
            // A failure where nothing is to be done, or where a driver runs its own daemon, is no alarm of ours.
            case UnitState.Failed _, UnitState.NotFound _, UnitState.Masked _, UnitState.Inactive _ -> false;
            case UnitState.Unknown _ -> reading.local().told().isPresent();
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
            return new DaemonHealth.NotInstalled();
        }
        return switch (reading.unit()) {
            // The tool may run beside a daemon that no unit started.
            case UnitState.NotFound none ->
                reading.local() instanceof QueryResult.Told<DaemonState> told
                        ? state(told.value())
                        : new DaemonHealth.NotInstalled();
            case UnitState.Masked masked -> new DaemonHealth.Masked();
            case UnitState.Inactive(String fileState, boolean skipped) -> new DaemonHealth.Inactive(fileState, skipped);
            case UnitState.Failed(String result) -> new DaemonHealth.Failed(result);
            case UnitState.Deactivating stopping -> new DaemonHealth.Stopping();
            case UnitState.Activating(String sub) -> running(reading, true, "its unit is " + sub);
            case UnitState.Active active -> running(reading, false, "");
            case UnitState.Unknown(String reason) -> running(reading, false, reason);
        };
    }

    private static DaemonHealth running(ImexReading reading, boolean starting, String unit) {
        return switch (reading.local()) {
            case QueryResult.Told<DaemonState>(DaemonState state) -> state(state);
            case QueryResult.NotAsked<DaemonState>(String why) -> new DaemonHealth.Unknown(why);
            case QueryResult.Failed<DaemonState>(QueryResult.Failure failure, String detail) -> {
                if (reading.commandServiceIsOff()) {
                    yield new DaemonHealth.Unknown("IMEX_CMD_ENABLED is 0, so the daemon answers no question");
                }
                if (failure == QueryResult.Failure.UNREACHABLE) {
                    yield starting ? new DaemonHealth.Starting(unit) : new DaemonHealth.Unreachable(detail);
                }
                yield new DaemonHealth.Unknown(unit.isEmpty() || starting ? detail : unit + ", and " + detail);
            }
        };
    }

    private static DaemonHealth state(DaemonState state) {
        return switch (state) {
            case DaemonState.Known.INITIALIZING, DaemonState.Known.STARTING_AUTH_SERVER, DaemonState.Known.INIT_GPU ->
                new DaemonHealth.Starting(state.word());
            case DaemonState.Known.WAITING_FOR_PEERS -> new DaemonHealth.WaitingForPeers();
            case DaemonState.Known.WAITING_FOR_RECOVERY -> new DaemonHealth.WaitingForRecovery();
            case DaemonState.Known.READY -> new DaemonHealth.Ready();
            case DaemonState.Known.SHUTTING_DOWN -> new DaemonHealth.Stopping();
            case DaemonState.Known.UNAVAILABLE -> new DaemonHealth.NotReady(state);
            case DaemonState.Unlisted _ -> new DaemonHealth.NotReady(state);
        };
    }

    private static DomainHealth domain(QueryResult<DomainReport> answer) {
        return switch (answer) {
            case QueryResult.NotAsked<DomainReport>(String why) -> new DomainHealth.NotTold(why);
            case QueryResult.Failed<DomainReport> failed -> new DomainHealth.NotTold(failed.detail());
            case QueryResult.Told<DomainReport>(DomainReport report) ->
                switch (report.state()) {
                    case DomainState.Known.UP -> new DomainHealth.Up();
                    case DomainState.Known.DEGRADED -> new DomainHealth.Degraded(missing(report));
                    case DomainState.Known.DOWN -> new DomainHealth.Down(missing(report));
                    case DomainState.Unlisted(String word) ->
                        new DomainHealth.NotTold(
                                "the domain's state \"" + word + "\" is not known; upgrade imex-agent");
                };
        };
    }

    private static List<String> missing(DomainReport report) {
        return report.nodes().stream()
                .filter(node -> !node.ready())
                .map(NodeReport::name)
                .toList();
    }

    private static List<LinkFault> faults(DomainReport report) {
        var faults = new ArrayList<LinkFault>();
        for (LinkFault.Kind kind : LinkFault.Kind.values()) {
            for (NodeReport from : report.nodes()) {
                for (Map.Entry<Integer, ConnectionState> to : from.connections().entrySet()) {
                    if (to.getValue() == kind.state()) {
                        faults.add(new LinkFault(kind, from.name(), report.name(to.getKey())));
                    }
                }
            }
        }
        return faults;
    }

    /** What the host's files say beside the verdict. */
    private static List<String> notes(ImexReading reading) {
        var notes = new ArrayList<String>();
        if (!reading.installed()) {
            return notes;
        }
        reading.configuration().stream()
                .flatMap(configuration -> configuration.faults().stream())
                .forEach(fault ->
                        notes.add("config.cfg of nvidia-imex: " + fault + "; correct it, then restart nvidia-imex"));
        reading.nodes().ifPresent(nodes -> notes(nodes, reading.domain().told(), notes));
        if (reading.unit() instanceof UnitState.Unknown(String reason)) {
            notes.add("the unit's state is not known: " + reason);
        }
        return notes;
    }

    private static void notes(NodesFile file, Optional<DomainReport> report, List<String> notes) {
        if (file.nodes().isEmpty()) {
            notes.add(
                    "nodes_config.cfg names no node; write one address on each line, the same file on every node, then"
                            + " restart nvidia-imex");
        }
        if (!file.repeated().isEmpty()) {
            notes.add("nodes_config.cfg names more than once: " + String.join(", ", file.repeated())
                    + "; remove the repetition on every node, then restart nvidia-imex");
        }
        report.filter(told -> told.nodes().size() != file.nodes().size())
                .ifPresent(told -> notes.add("nodes_config.cfg names "
                        + file.nodes().size()
                        + " nodes and the daemon knows " + told.nodes().size()
                        + ": the file was changed after the daemon's start; restart nvidia-imex once the node is"
                        + " drained"));
    }
}
