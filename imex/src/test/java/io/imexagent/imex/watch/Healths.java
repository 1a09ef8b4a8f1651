package io.imexagent.imex.watch;

import io.imexagent.imex.health.ConnectionState;
import io.imexagent.imex.health.DaemonState;
import io.imexagent.imex.health.DomainJson;
import io.imexagent.imex.health.DomainReport;
import io.imexagent.imex.health.DomainState;
import io.imexagent.imex.health.HealthPlanner;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.MalformedReport;
import io.imexagent.imex.health.NodeReport;
import io.imexagent.imex.health.PrintedState;
import io.imexagent.imex.health.QueryResult;
import io.imexagent.imex.health.Readings;
import io.imexagent.imex.health.ReportSpecimens;
import io.imexagent.imex.health.UnitState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Healths of nvidia-imex for tests, each the judgement of a reading. */
public final class Healths {

    /** When the readings were made. */
    public static final Instant AT = Instant.parse("2026-11-21T10:00:00Z");

    private Healths() {}

    /** A domain of three nodes that is up. */
    public static ImexHealth up() {
        return domain(DomainState.UP, ConnectionState.CONNECTED);
    }

    /** The same with its third node missing. */
    public static ImexHealth degraded() {
        return domain(DomainState.DEGRADED, ConnectionState.NEVER_CONNECTED);
    }

    /** The same, down. */
    public static ImexHealth down() {
        return domain(DomainState.DOWN, ConnectionState.DISCONNECTED);
    }

    /** The same, with a third node of another version. */
    public static ImexHealth mismatched() {
        return domain(DomainState.DEGRADED, ConnectionState.VERSION_MISMATCH);
    }

    /** A daemon in this state. */
    public static ImexHealth daemon(String state) {
        return judged(
                new UnitState(UnitState.ActiveState.ACTIVE),
                new QueryResult.QueryAnswered<>(PrintedState.of(state, DaemonState.values())),
                QueryResult.notQueried("not asked"));
    }

    /** A daemon that nobody can ask. */
    public static ImexHealth unknown() {
        return judged(
                new UnitState(UnitState.ActiveState.ACTIVE),
                new QueryResult.QueryFailed<>(
                        QueryResult.Failure.HUNG, "'nvidia-imex-ctl -q' did not end within 5000 ms"),
                QueryResult.notQueried("not asked"));
    }

    /** A daemon that is ready, and whose question for the domain failed in this way, at this time. */
    public static ImexHealth domainNotTold(Instant at, QueryResult.Failure failure) {
        return judged(
                at,
                new UnitState(UnitState.ActiveState.ACTIVE),
                new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)),
                new QueryResult.QueryFailed<>(failure, "the domain was not told"));
    }

    /** A ready daemon whose domain was reported in this file beside {@link ReportSpecimens}. */
    public static ImexHealth reported(String file) {
        try {
            return judged(
                    new UnitState(UnitState.ActiveState.ACTIVE),
                    new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)),
                    new QueryResult.QueryAnswered<>(DomainJson.parse(ReportSpecimens.file(file))));
        } catch (MalformedReport malformed) {
            throw new AssertionError(file, malformed);
        }
    }

    /** A masked unit. */
    public static ImexHealth masked() {
        return resting(new UnitState(UnitState.ActiveState.MASKED));
    }

    /** A node of a fabric whose unit is in this state, and where nothing runs. */
    public static ImexHealth resting(UnitState unit) {
        return judged(unit, QueryResult.notQueried("it rests"), QueryResult.notQueried("it rests"));
    }

    /** A node without a fabric. */
    public static ImexHealth notApplicable() {
        return HealthPlanner.judge(Readings.of(
                AT,
                Readings.node(new Applicability.NotApplicable("there is no GPU"), true),
                false,
                new UnitState(UnitState.ActiveState.NOT_FOUND),
                Optional.empty(),
                Optional.empty(),
                QueryResult.notQueried("not installed"),
                QueryResult.notQueried("not installed")));
    }

    private static ImexHealth judged(
            UnitState unit, QueryResult<PrintedState<DaemonState>> local, QueryResult<DomainReport> domain) {
        return judged(AT, unit, local, domain);
    }

    private static ImexHealth judged(
            Instant at,
            UnitState unit,
            QueryResult<PrintedState<DaemonState>> local,
            QueryResult<DomainReport> domain) {
        return HealthPlanner.judge(Readings.of(
                at,
                Readings.node(new Applicability.Applicable(), true),
                true,
                unit,
                Optional.empty(),
                Optional.empty(),
                local,
                domain));
    }

    private static ImexHealth domain(DomainState state, ConnectionState toThird) {
        boolean thirdIsThere = state == DomainState.UP || toThird == ConnectionState.VERSION_MISMATCH;
        var nodes = new ArrayList<NodeReport>();
        for (int from = 0; from < 3; from++) {
            var connections = new TreeMap<Integer, PrintedState<ConnectionState>>();
            for (int to = 0; to < 3; to++) {
                connections.put(
                        to,
                        PrintedState.of(from != to && (from == 2 || to == 2) ? toThird : ConnectionState.CONNECTED));
            }
            nodes.add(new NodeReport(
                    from,
                    "10.0.0." + (from + 1),
                    Optional.of("n" + from),
                    PrintedState.of(from == 2 && !thirdIsThere ? DaemonState.UNAVAILABLE : DaemonState.READY),
                    Optional.of("580.95.05"),
                    connections));
        }
        return judged(
                new UnitState(UnitState.ActiveState.ACTIVE),
                new QueryResult.QueryAnswered<>(PrintedState.of(DaemonState.READY)),
                new QueryResult.QueryAnswered<>(new DomainReport(nodes, PrintedState.of(state), OptionalInt.of(0))));
    }
}
