package io.imexagent.controller.racks;

import static io.imexagent.controller.racks.FaultTexts.names;

import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The faults of a rack that the rules have found so far. */
final class FoundFaults {

    final List<ReportedNode> trays;
    final List<FaultLine> lines = new ArrayList<>();

    /** The lines of the nodes' own faults, by the number of the node. */
    final SortedMap<Integer, FaultLine> own = new TreeMap<>();

    /** The critical findings of nodes without a fault of their own, by number. They explain no connection. */
    final SortedMap<Integer, FaultLine> findings = new TreeMap<>();

    /** The nodes, by number, whose files of nodes differ from those of the others. */
    final BitSet filesApart = new BitSet();

    Optional<FaultLine> files = Optional.empty();
    Optional<FaultLine> drivers = Optional.empty();

    /** Whether the files of most nodes have lines that match no node. */
    boolean strangersInFiles;

    FoundFaults(List<ReportedNode> trays) {
        this.trays = trays;
    }

    /** The faults, the worst first. */
    List<RackFault> faults() {
        return lines.stream()
                .map(FaultLine::fault)
                .sorted(Comparator.comparing(RackFault::severity)
                        .reversed()
                        .thenComparing(RackFault::kind)
                        .thenComparing(fault -> String.join(" ", fault.nodes()))
                        .thenComparing(RackFault::text))
                .toList();
    }

    /** Adds a fault. */
    FaultLine line(RackFaultKind kind, Severity severity, List<String> nodes, String text, String step) {
        var line = new FaultLine(kind, severity, nodes, text, step);
        lines.add(line);
        return line;
    }

    /** The severity of a verdict on nvidia-imex, by its code; the code is empty if the node reports none. */
    static Severity severity(String verdict) {
        return switch (verdict) {
            case "up", "not-applicable" -> Severity.OK;
            case "", "unknown", "degraded", "domain-unknown", "domain-not-told", "command-service-off" ->
                Severity.WARNING;
            default -> Severity.CRITICAL;
        };
    }

    /** The verdict of a node; a text that is no code is {@code unknown}, since the node may write any. */
    static String verdict(ReportedNode tray) {
        return tray.status()
                .imex()
                .map(verdict -> verdict.matches("[a-z-]*") ? verdict : "unknown")
                .orElse("");
    }

    /** The nodes, by number, grouped by the text that describes their fault. */
    SortedMap<String, List<Integer>> byText(Function<ReportedNode, Optional<String>> describe) {
        SortedMap<String, List<Integer>> nodes = new TreeMap<>();
        for (int tray = 0; tray < trays.size(); tray++) {
            int node = tray;
            describe.apply(trays.get(tray))
                    .ifPresent(text -> nodes.computeIfAbsent(text, none -> new ArrayList<>())
                            .add(node));
        }
        return nodes;
    }

    /** Adds a line for each node to {@code lineOf}, or one line for all if they are more than half of the rack. */
    void perNode(Map<Integer, FaultLine> lineOf, List<Integer> nodes, Function<List<String>, FaultLine> line) {
        if (nodes.size() > 2 && isMost(nodes.size())) {
            FaultLine all = line.apply(names(trays, nodes));
            nodes.forEach(node -> lineOf.put(node, all));
        } else {
            nodes.forEach(node -> lineOf.put(node, line.apply(names(trays, List.of(node)))));
        }
    }

    /** Whether this number of nodes is more than half of the rack. */
    boolean isMost(int nodes) {
        return 2 * nodes > trays.size();
    }

    /** The line of the first of these nodes, if each has a fault of its own; otherwise empty. */
    Optional<FaultLine> allOwn(List<String> nodes) {
        List<String> sick = names(trays, List.copyOf(own.keySet()));
        return own.values().stream()
                .filter(line -> sick.containsAll(nodes) && nodes.stream().anyMatch(line::names))
                .findFirst();
    }

    /** The nodes without a fault of their own. */
    List<Integer> members() {
        return IntStream.range(0, trays.size())
                .boxed()
                .filter(node -> !own.containsKey(node))
                .toList();
    }
}
