package io.imexagent.imex.watch;

import io.imexagent.imex.health.Applicability;
import io.imexagent.imex.health.HealthPlanner;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReading;
import io.imexagent.imex.health.QueryResult;
import io.imexagent.imex.host.UnitState;
import io.imexagent.imex.report.ConnectionState;
import io.imexagent.imex.report.DaemonState;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.imex.report.DomainState;
import io.imexagent.imex.report.NodeReport;
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
        return domain(DomainState.Known.UP, ConnectionState.Known.CONNECTED);
    }

    /** The same with its third node missing. */
    public static ImexHealth degraded() {
        return domain(DomainState.Known.DEGRADED, ConnectionState.Known.NEVER_CONNECTED);
    }

    /** The same, down. */
    public static ImexHealth down() {
        return domain(DomainState.Known.DOWN, ConnectionState.Known.DISCONNECTED);
    }

    /** The same, with a third node of another version. */
    public static ImexHealth mismatched() {
        return domain(DomainState.Known.DEGRADED, ConnectionState.Known.VERSION_MISMATCH);
    }

    /** A daemon in this state. */
    public static ImexHealth daemon(String state) {
        return judged(
                new UnitState.Active(),
                new QueryResult.Told<>(DaemonState.of(state)),
                new QueryResult.NotAsked<>("not asked"));
    }

    /** A daemon that nobody can ask. */
    public static ImexHealth unknown() {
        return judged(
                new UnitState.Active(),
                new QueryResult.Failed<>(QueryResult.Failure.HUNG, "'nvidia-imex-ctl -q' did not end within 5000 ms"),
                new QueryResult.NotAsked<>("not asked"));
    }

    /** A daemon that is ready, and whose question for the domain failed in this way, at this time. */
    public static ImexHealth domainNotTold(Instant at, QueryResult.Failure failure) {
        return judged(
                at,
                new UnitState.Active(),
                new QueryResult.Told<>(DaemonState.Known.READY),
                new QueryResult.Failed<>(failure, "the domain was not told"));
    }

    /** A masked unit. */
    public static ImexHealth masked() {
        return resting(new UnitState.Masked());
    }

    /** A node of a fabric whose unit is in this state, and where nothing runs. */
    public static ImexHealth resting(UnitState unit) {
        return judged(unit, new QueryResult.NotAsked<>("it rests"), new QueryResult.NotAsked<>("it rests"));
    }

    /** A node without a fabric. */
    public static ImexHealth notApplicable() {
        return HealthPlanner.judge(new ImexReading(
                AT,
                new ImexReading.Setting(new Applicability.NotApplicable("there is no GPU"), true),
                false,
                new UnitState.NotFound(),
                Optional.empty(),
                Optional.empty(),
                new QueryResult.NotAsked<>("not installed"),
                new QueryResult.NotAsked<>("not installed")));
    }

    private static ImexHealth judged(UnitState unit, QueryResult<DaemonState> local, QueryResult<DomainReport> domain) {
        return judged(AT, unit, local, domain);
    }

    private static ImexHealth judged(
            Instant at, UnitState unit, QueryResult<DaemonState> local, QueryResult<DomainReport> domain) {
        return HealthPlanner.judge(new ImexReading(
                at,
                new ImexReading.Setting(new Applicability.Applicable(), true),
                true,
                unit,
                Optional.empty(),
                Optional.empty(),
                local,
                domain));
    }

    private static ImexHealth domain(DomainState state, ConnectionState toThird) {
        boolean thirdIsThere = state == DomainState.Known.UP || toThird == ConnectionState.Known.VERSION_MISMATCH;
        var nodes = new ArrayList<NodeReport>();
        for (int from = 0; from < 3; from++) {
            var connections = new TreeMap<Integer, ConnectionState>();
            for (int to = 0; to < 3; to++) {
                connections.put(to, from != to && (from == 2 || to == 2) ? toThird : ConnectionState.Known.CONNECTED);
            }
            nodes.add(new NodeReport(
                    from,
                    "10.0.0." + (from + 1),
                    Optional.of("n" + from),
                    from == 2 && !thirdIsThere ? DaemonState.Known.UNAVAILABLE : DaemonState.Known.READY,
                    Optional.of("580.95.05"),
                    connections));
        }
        return judged(
                new UnitState.Active(),
                new QueryResult.Told<>(DaemonState.Known.READY),
                new QueryResult.Told<>(new DomainReport(nodes, state, OptionalInt.of(0))));
    }
}
