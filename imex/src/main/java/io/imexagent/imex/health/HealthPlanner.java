package io.imexagent.imex.health;

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
        DaemonHealth daemon = daemon(reading);
        Optional<DomainReport> report = reading.domain().told();
        DomainHealth domain = domain(reading.domain());
        List<LinkFault> faults = report.map(HealthPlanner::faults).orElse(List.of());
        return new ImexHealth(
                reading.at(),
                daemon,
                domain,
                report,
                faults,
                Notes.of(reading),
                Verdicts.of(reading, daemon, domain, report, faults));
    }

    private static DaemonHealth daemon(ImexReading reading) {
        return restsRightly(reading)
                .<DaemonHealth>map(DaemonHealth.NotApplicable::new)
                .orElseGet(() -> installed(reading));
    }

    /** Why it is right that the daemon does not run; empty where it runs, or should. */
    private static Optional<String> restsRightly(ImexReading reading) {
        boolean runs = switch (reading.unit()) {
            case UnitState.Active _, UnitState.Activating _, UnitState.Deactivating _ -> true;
            // A failure where nothing is to be done, or where a driver runs its own daemon, is no alarm of ours.
            case UnitState.Failed _, UnitState.NotFound _, UnitState.Masked _, UnitState.Inactive _ -> false;
            case UnitState.Unknown unknown -> reading.local().told().isPresent();
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
            case DaemonState.Known known ->
                switch (known) {
                    case INITIALIZING, STARTING_AUTH_SERVER, INIT_GPU -> new DaemonHealth.Starting(known.word());
                    case WAITING_FOR_PEERS -> new DaemonHealth.WaitingForPeers();
                    case WAITING_FOR_RECOVERY -> new DaemonHealth.WaitingForRecovery();
                    case READY -> new DaemonHealth.Ready();
                    case SHUTTING_DOWN -> new DaemonHealth.Stopping();
                    case UNAVAILABLE -> new DaemonHealth.NotReady(known);
                };
            case DaemonState.Unlisted unlisted -> new DaemonHealth.NotReady(unlisted);
        };
    }

    private static DomainHealth domain(QueryResult<DomainReport> answer) {
        return switch (answer) {
            case QueryResult.NotAsked<DomainReport>(String why) -> new DomainHealth.NotTold(why);
            case QueryResult.Failed<DomainReport>(QueryResult.Failure failure, String detail) ->
                new DomainHealth.NotTold(detail);
            case QueryResult.Told<DomainReport>(DomainReport report) ->
                switch (report.state()) {
                    case DomainState.Known known ->
                        switch (known) {
                            case UP -> new DomainHealth.Up();
                            case DEGRADED -> new DomainHealth.Degraded(missing(report));
                            case DOWN -> new DomainHealth.Down(missing(report));
                        };
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
}
