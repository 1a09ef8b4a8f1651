package io.imexagent.imex.health;

import io.imexagent.imex.health.DaemonHealth.State;
import io.imexagent.imex.health.ImexReading.Applicability;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/** Judges a reading: reading → health. Pure. */
public final class HealthPlanner {

    private HealthPlanner() {}

    public static ImexHealth judge(ImexReading reading) {
        DaemonHealth daemon = restsRightly(reading)
                .map(reason -> new DaemonHealth(State.NOT_APPLICABLE, reason))
                .orElseGet(() -> installed(reading));
        DomainHealth domain = DomainHealth.of(reading.domain());
        List<LinkFault> faults = domain.report().map(HealthPlanner::faults).orElse(List.of());
        return new ImexHealth(
                reading.at(),
                daemon,
                domain,
                faults,
                notes(reading),
                new Verdicts(reading, daemon, domain, faults).verdict());
    }

    /** Why it is right that the daemon does not run; empty where it runs, or should. */
    private static Optional<String> restsRightly(ImexReading reading) {
        boolean runs = switch (reading.unit().state()) {
            // A unit that is enabled and fails is never at rest, whoever runs IMEX: its operator wants it.
            case ACTIVE, ACTIVATING, DEACTIVATING, FAILED -> true;
            case FAILED_DISABLED, NOT_FOUND, MASKED, INACTIVE, SKIPPED -> false;
            case UNKNOWN -> reading.local().told().isPresent();
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
            return new DaemonHealth(State.NOT_INSTALLED);
        }
        String detail = reading.unit().detail();
        return switch (reading.unit().state()) {
            // The tool may run beside a daemon that no unit started.
            case NOT_FOUND ->
                reading.local().told().map(HealthPlanner::state).orElse(new DaemonHealth(State.NOT_INSTALLED));
            case MASKED -> new DaemonHealth(State.MASKED);
            case INACTIVE -> new DaemonHealth(State.INACTIVE, detail);
            case SKIPPED -> new DaemonHealth(State.SKIPPED, detail);
            case FAILED, FAILED_DISABLED -> new DaemonHealth(State.FAILED, detail);
            case DEACTIVATING -> new DaemonHealth(State.STOPPING);
            case ACTIVATING -> running(reading, true, "its unit is " + detail);
            case ACTIVE, UNKNOWN -> running(reading, false, detail);
        };
    }

    private static DaemonHealth running(ImexReading reading, boolean starting, String unit) {
        return switch (reading.local()) {
            case QueryResult.Told<Printed<DaemonState>>(Printed<DaemonState> state) -> state(state);
            case QueryResult.Failed<?>(QueryResult.Failure failure, String detail) -> {
                if (failure == QueryResult.Failure.NOT_ASKED) {
                    yield new DaemonHealth(State.UNKNOWN, detail);
                }
                if (reading.commandServiceIsOff()) {
                    yield new DaemonHealth(State.UNKNOWN, "IMEX_CMD_ENABLED is 0, so the daemon answers no question");
                }
                if (failure == QueryResult.Failure.UNREACHABLE) {
                    yield starting
                            ? new DaemonHealth(State.STARTING, unit)
                            : new DaemonHealth(State.UNREACHABLE, detail);
                }
                yield new DaemonHealth(State.UNKNOWN, unit.isEmpty() || starting ? detail : unit + ", and " + detail);
            }
        };
    }

    private static DaemonHealth state(Printed<DaemonState> printed) {
        return printed.state()
                .map(state -> switch (state) {
                    case INITIALIZING, STARTING_AUTH_SERVER, INIT_GPU -> new DaemonHealth(State.STARTING, state.name());
                    case WAITING_FOR_PEERS -> new DaemonHealth(State.WAITING_FOR_PEERS);
                    case WAITING_FOR_RECOVERY -> new DaemonHealth(State.WAITING_FOR_RECOVERY);
                    case READY -> new DaemonHealth(State.READY);
                    case SHUTTING_DOWN -> new DaemonHealth(State.STOPPING);
                    case UNAVAILABLE -> new DaemonHealth(State.NOT_READY, state.name());
                })
                .orElseGet(() -> new DaemonHealth(State.NOT_READY, printed.word()));
    }

    private static List<LinkFault> faults(DomainReport report) {
        return Arrays.stream(LinkFault.Kind.values())
                .flatMap(kind -> report.nodes().stream()
                        .flatMap(from -> from.connections().entrySet().stream()
                                .filter(to -> to.getValue().is(kind.state()))
                                .map(to -> new LinkFault(kind, from.name(), report.name(to.getKey())))))
                .toList();
    }

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
        if (reading.unit().state() == UnitState.State.UNKNOWN) {
            notes.add("the unit's state is not known: " + reading.unit().detail());
        }
        return notes;
    }

    private static void notes(List<String> file, Optional<DomainReport> report, List<String> notes) {
        if (file.isEmpty()) {
            notes.add(
                    "nodes_config.cfg names no node; write one address on each line, the same file on every node, then"
                            + " restart nvidia-imex");
        }
        var seen = new HashSet<String>();
        var repeated = new LinkedHashSet<String>();
        file.stream().filter(node -> !seen.add(node)).forEach(repeated::add);
        if (!repeated.isEmpty()) {
            notes.add("nodes_config.cfg names more than once: " + String.join(", ", repeated)
                    + "; remove the repetition on every node, then restart nvidia-imex");
        }
        report.filter(told -> told.nodes().size() != file.size())
                .ifPresent(told -> notes.add("nodes_config.cfg names "
                        + file.size()
                        + " nodes and the daemon knows " + told.nodes().size()
                        + ": the file was changed after the daemon's start; restart nvidia-imex once the node is"
                        + " drained"));
    }
}
