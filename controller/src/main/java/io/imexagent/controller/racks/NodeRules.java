package io.imexagent.controller.racks;

import static io.imexagent.controller.racks.FaultTexts.count;
import static io.imexagent.controller.racks.FaultTexts.names;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.racks.RackFault.RackFaultKind;
import io.imexagent.core.check.Severity;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.AgentReport.ReportedFinding;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodesFileComparison.FileFaultKind;
import io.imexagent.kubernetes.clique.NodesFileComparison.NodesFileFault;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Finds the faults of nodes themselves, of their files and drivers, and of the channels of a clique. */
final class NodeRules {

    /**
     * The number of free channels below which a clique is about to run out, as in the alert {@code ImexChannelsLow}.
     */
    private static final int FEW = 10;

    /** Verdicts about other nodes of the domain. Agents of 0.2.0 write domain-not-told. */
    private static final Set<String> OF_OTHERS = Set.of(
            "degraded",
            "domain-down",
            "domain-unknown",
            "domain-not-told",
            "waiting-for-peers",
            "waiting-for-recovery",
            "version-mismatch",
            "node-map-mismatch",
            "authentication-error");

    /** The faults of a node's file by which nodes have different IMEX domains. */
    private static final Set<FileFaultKind> APART = EnumSet.of(
            FileFaultKind.FILES_DIFFER,
            FileFaultKind.NO_FILE,
            FileFaultKind.OWN_LINE_MISSING,
            FileFaultKind.MEMBER_MISSING);

    private final FoundFaults found;
    private final List<ReportedNode> trays;

    NodeRules(FoundFaults found) {
        this.found = found;
        this.trays = found.trays;
    }

    void ownFaults(boolean placed) {
        found.byText(tray -> Optional.of(tray)
                        .filter(ReportedNode::lost)
                        .map(lost -> lost.state().text()))
                .forEach(
                        (state, nodes) -> found.perNode(
                                found.own,
                                nodes,
                                some -> found.line(
                                        RackFaultKind.NODE,
                                        Severity.CRITICAL,
                                        some,
                                        FaultTexts.nodesDo(some, "does", "do") + " not answer (" + state
                                                + "), and what is shown is old",
                                        state.equals(CliqueReport.ReportedNodeState.MISSING.text())
                                                ? "see why the Node is gone; its channels are free once its agent has been silent"
                                                        + " for controller.lostNodeAfter"
                                                : "see 'kubectl describe node " + some.getFirst()
                                                        + "'; its channels are free once"
                                                        + " it is back and ends the pods, or powered off and its Node deleted")));
        if (placed) {
            found.byText(tray -> Optional.of(FoundFaults.verdict(tray))
                            .filter(verdict -> !tray.lost()
                                    && FoundFaults.severity(verdict) != Severity.OK
                                    && !OF_OTHERS.contains(verdict)))
                    .forEach((verdict, nodes) -> found.perNode(
                            found.own,
                            nodes,
                            some -> verdict.isEmpty()
                                    ? found.line(
                                            RackFaultKind.NO_REPORT,
                                            Severity.WARNING,
                                            some,
                                            "no report of nvidia-imex on " + FaultTexts.nodes(some),
                                            "see that imex-agent runs there")
                                    : found.line(
                                            RackFaultKind.DAEMON,
                                            FoundFaults.severity(verdict),
                                            some,
                                            "nvidia-imex is \"" + verdict + "\" on " + FaultTexts.nodes(some),
                                            FaultTexts.health(some))));
        }
        found.own.forEach((node, line) -> {
            ReportedNode tray = trays.get(node);
            line.since(tray.lost() ? tray.lostSince() : tray.status().imexSince());
            if (tray.lost()) {
                line.add(
                        (int) tray.holds().stream().filter(Hold::binds).count(),
                        "channel held",
                        "channels held",
                        Severity.WARNING);
            }
        });
    }

    /** Adds the critical findings of nodes, or counts them with the node's own fault. */
    void findings() {
        found.byText(tray -> Optional.of(String.join(", ", criticalFindings(tray)))
                        .filter(codes -> !tray.lost() && !codes.isEmpty()))
                .forEach((codes, nodes) -> {
                    nodes.stream()
                            .flatMap(node -> Stream.ofNullable(found.own.get(node)))
                            .forEach(line -> line.add(
                                    criticalFindings(trays.get(nodes.getFirst()))
                                            .size(),
                                    "critical finding",
                                    "critical findings",
                                    Severity.CRITICAL));
                    found.perNode(
                            found.findings,
                            nodes.stream()
                                    .filter(node -> !found.own.containsKey(node))
                                    .toList(),
                            some -> found.line(
                                    RackFaultKind.FINDINGS,
                                    Severity.CRITICAL,
                                    some,
                                    codes + " on " + FaultTexts.nodes(some),
                                    "run 'imex-agent probe' on " + FaultTexts.some(some)));
                });
    }

    /** The codes of a node's critical findings, in their order. */
    static List<String> criticalFindings(ReportedNode tray) {
        return tray.status().agent().stream()
                .flatMap(agent -> agent.findingList().stream())
                .filter(finding -> finding.severity() == Severity.CRITICAL)
                .map(ReportedFinding::code)
                .distinct()
                .sorted()
                .toList();
    }

    void channels(CliqueReport clique) {
        clique.wrong().forEach(text -> found.line(RackFaultKind.CHANNELS, Severity.CRITICAL, List.of(), text, ""));
        Stream.concat(clique.shared().stream(), clique.limited().stream())
                .forEach(text -> found.line(RackFaultKind.CHANNELS, Severity.WARNING, List.of(), text, ""));
        if (clique.channels().isPresent() && clique.free().isPresent()) {
            int all = clique.channels().getAsInt();
            int free = clique.free().getAsInt();
            String step = "end what is not needed, or raise imex.channels";
            if (free == 0) {
                found.line(
                        RackFaultKind.CHANNELS,
                        Severity.CRITICAL,
                        List.of(),
                        "no channel is free, further workloads wait: "
                                + clique.entries().size() + " of " + all + " are bound",
                        step);
            } else if (free < FEW) {
                found.line(
                        RackFaultKind.CHANNELS,
                        Severity.WARNING,
                        List.of(),
                        count(free, "channel is", "channels are") + " free of " + all,
                        step);
            }
        }
    }

    /** Adds one line for the files of all nodes, which must be equal and are corrected in one step. */
    void files(CliqueId clique, List<NodesFileFault> reported, boolean strangers) {
        List<NodesFileFault> faults = new ArrayList<>();
        for (NodesFileFault fault : reported) {
            if (fault.kind() == FileFaultKind.NO_MEMBER
                    && found.isMost(fault.nodes().size())
                    && strangers) {
                found.strangersInFiles = true;
                continue;
            }
            found.allOwn(fault.nodes())
                    .ifPresentOrElse(
                            sick -> sick.add(
                                    1, "fault of nodes_config.cfg", "faults of nodes_config.cfg", Severity.WARNING),
                            () -> faults.add(fault));
        }
        if (faults.isEmpty()) {
            return;
        }
        List<String> nodes = faults.stream()
                .flatMap(fault -> fault.nodes().stream())
                .distinct()
                .sorted()
                .toList();
        found.files = Optional.of(found.line(
                RackFaultKind.NODES_FILE,
                Severity.WARNING,
                nodes,
                faults.stream().map(NodesFileFault::text).collect(Collectors.joining("; ")),
                "write the file that 'imex-agent nodes-file " + clique + "' prints on all nodes"));
        faults.stream()
                .filter(fault -> APART.contains(fault.kind())
                        && !found.isMost(fault.nodes().size()))
                .flatMap(fault -> fault.nodes().stream())
                .forEach(name -> IntStream.range(0, trays.size())
                        .filter(tray -> trays.get(tray).name().equals(name))
                        .forEach(found.filesApart::set));
    }

    void drivers() {
        SortedMap<String, List<Integer>> byVersion = found.byText(
                tray -> tray.lost() ? Optional.empty() : tray.status().driver());
        if (byVersion.size() < 2) {
            return;
        }
        List<Map.Entry<String, List<Integer>>> versions = byVersion.entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<String, List<Integer>> version) ->
                                version.getValue().size())
                        .thenComparing(Map.Entry::getKey)
                        .reversed())
                .toList();
        List<Integer> others = versions.stream()
                .skip(1)
                .flatMap(version -> version.getValue().stream())
                .sorted()
                .toList();
        Optional<FaultLine> sick = found.allOwn(names(trays, others));
        if (sick.isPresent()) {
            sick.get().add(1, "driver that differs", "drivers that differ", Severity.WARNING);
            return;
        }
        found.drivers = Optional.of(found.line(
                RackFaultKind.DRIVERS,
                Severity.WARNING,
                names(trays, others),
                "the driver differs: "
                        + versions.stream()
                                .limit(FaultTexts.MOST_NAMES)
                                .map(version ->
                                        version.getKey() + " on " + FaultTexts.some(names(trays, version.getValue())))
                                .collect(Collectors.joining("; ")),
                "load one version on all nodes of the rack"));
    }

    /**
     * Compares the GPUs that work with those that the node's own driver lists; without this number, with those of most
     * other nodes without a fault of their own.
     */
    void gpus() {
        Map<Integer, List<Integer>> byCount = new TreeMap<>();
        for (int tray = 0; tray < trays.size(); tray++) {
            ReportedNode node = trays.get(tray);
            int gpus = node.status().gpus();
            if (node.lost() || node.status().driver().isEmpty()) {
                continue;
            }
            Optional<Integer> listed = node.status().agent().map(AgentReport::gpus);
            if (listed.isEmpty()) {
                byCount.computeIfAbsent(gpus, none -> new ArrayList<>()).add(tray);
            } else if (gpus < listed.get()) {
                gpusLess(
                        tray,
                        listed.get() - gpus,
                        gpus + " of " + count(listed.get(), "GPU works", "GPUs work") + " on " + node.name());
            }
        }
        Map<Integer, Long> without = byCount.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        number -> number.getValue().stream()
                                .filter(node -> !found.own.containsKey(node))
                                .count()));
        long most = without.values().stream().mapToLong(Long::longValue).max().orElse(0);
        if (most == 0) {
            return;
        }
        List<Integer> common = byCount.keySet().stream()
                .filter(number -> without.getOrDefault(number, 0L) == most)
                .toList();
        if (common.size() > 1) {
            found.line(
                    RackFaultKind.GPUS,
                    Severity.WARNING,
                    names(
                            trays,
                            byCount.values().stream()
                                    .flatMap(List::stream)
                                    .sorted()
                                    .toList()),
                    "the number of GPUs that work differs: "
                            + byCount.entrySet().stream()
                                    .limit(FaultTexts.MOST_NAMES)
                                    .map(number ->
                                            number.getKey() + " on " + FaultTexts.some(names(trays, number.getValue())))
                                    .collect(Collectors.joining("; ")),
                    "run 'imex-agent probe' on these nodes");
            return;
        }
        byCount.forEach((number, nodes) -> nodes.stream()
                .filter(node -> !common.contains(number))
                .forEach(node -> gpusLess(
                        node,
                        Math.max(0, common.getFirst() - number),
                        count(number, "GPU works", "GPUs work") + " on "
                                + trays.get(node).name() + ", and " + common.getFirst() + " on others")));
    }

    /** Counts GPUs that do not work with the node's own fault or finding, or adds a line with this text. */
    private void gpusLess(int node, int less, String text) {
        FaultLine own = found.own.getOrDefault(node, found.findings.get(node));
        if (own != null) {
            own.add(less, "GPU less", "GPUs less", Severity.WARNING);
            return;
        }
        String name = trays.get(node).name();
        found.line(RackFaultKind.GPUS, Severity.WARNING, List.of(name), text, "run 'imex-agent probe' on " + name);
    }
}
