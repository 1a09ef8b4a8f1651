package io.imexagent.controller.racks;

import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A {@link RackFault} in the making, to which rules add consequences. */
final class FaultLine {

    private final RackFaultKind kind;
    private final List<String> nodes;
    private final String text;
    private final String step;
    private final Map<ConsequenceText, Integer> consequences = new LinkedHashMap<>();

    /** The nodes, by number, that report a bad connection which this fault explains. */
    private final BitSet reporters = new BitSet();

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

    void reportedBy(int node) {
        reporters.set(node);
    }

    boolean isReportedBy(int node) {
        return reporters.get(node);
    }

    /** Whether at least two nodes report it, so that no single node can have invented it. */
    boolean isConfirmed() {
        return reporters.cardinality() > 1;
    }

    RackFault fault() {
        List<String> texts = new ArrayList<>();
        consequences.forEach((what, number) -> texts.add(number + " " + (number == 1 ? what.one() : what.many())));
        return new RackFault(kind, severity, nodes, text, step, since, texts);
    }
}
