package io.imexagent.controller.racks;

import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A {@link RackFault} in the making, to which rules add consequences. */
final class FaultLine {

    private final RackFaultKind kind;
    private final List<String> nodes;
    private final String text;
    private final String step;
    private final Map<ConsequenceText, Integer> consequences = new LinkedHashMap<>();

    /** A bad connection of a node to another, or to an address, by number, as the first one reports it. */
    private record BadReport(int reporter, int about, boolean degraded) {}

    /** The reports that this fault explains. */
    private final Set<BadReport> reports = new HashSet<>();

    private Severity severity;
    private Optional<Instant> since = Optional.empty();

    /** The noun of a consequence, in the singular and the plural. */
    private record ConsequenceText(String one, String many) {}

    FaultLine(RackFaultKind kind, Severity severity, List<String> nodes, String text, String step) {
        this.kind = kind;
        this.severity = severity;
        this.nodes = nodes;
        this.text = text;
        this.step = step;
    }

    boolean names(String node) {
        return nodes.contains(node);
    }

    /** Sets the earliest time of the fault, if this time is earlier than the known one. */
    void since(Optional<Instant> time) {
        since = since.filter(known -> time.filter(known::isAfter).isEmpty()).or(() -> time);
    }

    /** Adds a number of consequences of this severity. */
    void add(int number, String one, String many, Severity worth) {
        if (number > 0) {
            consequences.merge(new ConsequenceText(one, many), number, Integer::sum);
            severity = severity.compareTo(worth) < 0 ? worth : severity;
        }
    }

    void reportedBy(int node, int about, boolean degraded) {
        reports.add(new BadReport(node, about, degraded));
    }

    /** Whether a node reports a bad connection that this fault explains, or only a degraded one. */
    boolean isReportedBy(int node, boolean degraded) {
        return reports.stream().anyMatch(report -> report.reporter() == node && (report.degraded() || !degraded));
    }

    /**
     * Whether no single node can have invented it: both ends report a connection bad, or only degraded, or two nodes
     * report connections to the same node or address.
     */
    boolean isConfirmed(boolean degraded) {
        Map<Integer, BitSet> byTarget = new HashMap<>();
        reports.stream()
                .filter(report -> report.degraded() || !degraded)
                .forEach(report -> byTarget.computeIfAbsent(report.about(), none -> new BitSet())
                        .set(report.reporter()));
        return byTarget.entrySet().stream()
                .anyMatch(target -> target.getValue().cardinality() > 1
                        || target.getValue().stream()
                                .anyMatch(reporter -> byTarget.getOrDefault(reporter, new BitSet())
                                        .get(target.getKey())));
    }

    RackFault fault() {
        List<String> texts = new ArrayList<>();
        consequences.forEach((what, number) -> texts.add(number + " " + (number == 1 ? what.one() : what.many())));
        return new RackFault(kind, severity, nodes, text, step, since, texts);
    }
}
