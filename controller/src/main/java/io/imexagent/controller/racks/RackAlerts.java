package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNodeState;
import io.imexagent.controller.racks.RackReport.RackAlert;
import io.imexagent.core.check.Severity;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What is wrong or odd in a rack, in sentences, the worst first. */
final class RackAlerts {

    private static final int MOST_NAMES = 4;

    /** With fewer free channels a clique is about to run out: as the alert {@code ImexChannelsLow} has it. */
    private static final int FEW = 10;

    private RackAlerts() {}

    static List<RackAlert> of(CliqueReport clique, List<CliqueReport.ReportedNode> trays, LinkMatrix links) {
        List<RackAlert> alerts = new ArrayList<>();
        clique.wrong().forEach(text -> alerts.add(critical(text)));
        clique.shared().ifPresent(text -> alerts.add(warning(text)));
        alerts.addAll(silent(trays));
        lostHolds(
                clique,
                ReportedNodeState.NOT_READY,
                "whose Nodes are NotReady: free once these are back and end the pods, or"
                        + " powered off and their Nodes deleted",
                alerts);
        lostHolds(
                clique,
                ReportedNodeState.MISSING,
                "whose Nodes are gone: the controller frees them once the agents there have"
                        + " been silent for controller.lostNodeAfter",
                alerts);
        clique.limited().ifPresent(text -> alerts.add(warning(text)));
        clique.nodesFiles().faults().forEach(fault -> alerts.add(warning(fault.text())));
        verdicts(trays, alerts);
        links(trays, links, alerts);
        channels(clique, alerts);
        differing(trays, "the driver", node -> node.status().driver(), alerts);
        differing(
                trays,
                "the number of GPUs that work",
                node -> node.status().driver().map(loaded -> node.status().gpus() + ""),
                alerts);
        alerts.sort(Comparator.comparing(RackAlert::severity).reversed());
        return alerts;
    }

    private static void lostHolds(CliqueReport clique, ReportedNodeState state, String whose, List<RackAlert> alerts) {
        int holds = clique.lostHolds(state);
        if (holds > 0) {
            alerts.add(warning(count(holds, "channel is", "channels are") + " held by nodes " + whose));
        }
    }

    /** Nodes that do not answer; what their objects say is old. */
    static List<RackAlert> silent(List<CliqueReport.ReportedNode> trays) {
        List<String> lost = trays.stream()
                .filter(CliqueReport.ReportedNode::lost)
                .map(CliqueReport.ReportedNode::text)
                .toList();
        return lost.isEmpty()
                ? List.of()
                : List.of(critical(count(lost.size(), "node does", "nodes do") + " not answer, and what is shown of "
                        + (lost.size() == 1 ? "it" : "them") + " is old: " + names(lost)));
    }

    private static void verdicts(List<CliqueReport.ReportedNode> trays, List<RackAlert> alerts) {
        byWord(trays, node -> node.status().imex().or(() -> Optional.of(""))).forEach((verdict, names) -> {
            String what = verdict.isEmpty() ? "no report of nvidia-imex" : "nvidia-imex is \"" + verdict + "\"";
            String where = " on " + count(names.size(), "node", "nodes") + ": " + names(names);
            if (severity(verdict) != Severity.OK) {
                alerts.add(new RackAlert(severity(verdict), what + where));
            }
        });
    }

    /** The names of the nodes that are not lost, by what they tell; those for which that is empty are left out. */
    private static SortedMap<String, List<String>> byWord(
            List<CliqueReport.ReportedNode> trays, Function<CliqueReport.ReportedNode, Optional<String>> describe) {
        SortedMap<String, List<String>> names = new TreeMap<>();
        trays.stream()
                .filter(node -> !node.lost())
                .forEach(node -> describe.apply(node)
                        .ifPresent(word -> names.computeIfAbsent(word, none -> new ArrayList<>())
                                .add(node.name())));
        return names;
    }

    /** How bad the verdict of this code on nvidia-imex is; a node that reports none has an empty one. */
    static Severity severity(String verdict) {
        return switch (verdict) {
            case "up", "not-applicable" -> Severity.OK;
            // Agents of 0.2.0 write domain-not-told.
            case "", "unknown", "degraded", "domain-unknown", "domain-not-told", "command-service-off" ->
                Severity.WARNING;
            default -> Severity.CRITICAL;
        };
    }

    private static void links(List<CliqueReport.ReportedNode> trays, LinkMatrix links, List<RackAlert> alerts) {
        if (links.rows().isEmpty()) {
            return;
        }
        pairs(trays, links, LinkState.LOST, Severity.CRITICAL, alerts);
        pairs(trays, links, LinkState.DEGRADED, Severity.WARNING, alerts);
        List<String> silent = IntStream.range(0, trays.size())
                .filter(tray -> trays.size() > 1 && !trays.get(tray).lost() && links.isSilent(tray))
                .mapToObj(tray -> trays.get(tray).name())
                .toList();
        if (!silent.isEmpty()) {
            alerts.add(
                    warning("no connection data from " + count(silent.size(), "node", "nodes") + ": " + names(silent)));
        }
        if (!links.others().isEmpty()) {
            alerts.add(warning("the IMEX domain has " + count(links.others().size(), "address", "addresses")
                    + " of no node that is shown here: " + names(links.others())));
        }
    }

    private static void pairs(
            List<CliqueReport.ReportedNode> trays,
            LinkMatrix links,
            LinkState state,
            Severity severity,
            List<RackAlert> alerts) {
        int size = trays.size();
        int[] of = new int[size];
        int pairs = 0;
        for (int one = 0; one < size; one++) {
            for (int other = one + 1; other < size; other++) {
                if (links.between(one, other) == LinkMatrix.letter(state)) {
                    pairs++;
                    of[one]++;
                    of[other]++;
                }
            }
        }
        if (pairs > 0) {
            int most = IntStream.of(of).max().orElse(0);
            // One node that is cut off has all of its pairs; the others have one each.
            List<String> worst = IntStream.range(0, size)
                    .filter(tray -> 2 * of[tray] > most)
                    .mapToObj(tray -> trays.get(tray).name())
                    .toList();
            alerts.add(new RackAlert(
                    severity,
                    pairs + " of " + count(size * (size - 1) / 2, "connection", "connections") + " between nodes "
                            + (pairs == 1 ? "is " : "are ") + state.text() + ", at " + names(worst)));
        }
    }

    private static void channels(CliqueReport clique, List<RackAlert> alerts) {
        if (clique.channels().isEmpty() || clique.free().isEmpty()) {
            return;
        }
        int all = clique.channels().getAsInt();
        int free = clique.free().getAsInt();
        if (free == 0) {
            alerts.add(critical("no channel is free, further workloads wait: "
                    + clique.entries().size() + " of " + all + " are bound"));
        } else if (free < FEW) {
            alerts.add(warning(count(free, "channel is", "channels are") + " free of " + all));
        }
    }

    /** What should be the same on all nodes, and is not. */
    private static void differing(
            List<CliqueReport.ReportedNode> trays,
            String what,
            Function<CliqueReport.ReportedNode, Optional<String>> describe,
            List<RackAlert> alerts) {
        Map<String, List<String>> byValue = byWord(trays, describe);
        if (byValue.size() > 1) {
            alerts.add(warning(what + " differs: "
                    + byValue.entrySet().stream()
                            .sorted(Comparator.comparingInt((Map.Entry<String, List<String>> value) ->
                                    -value.getValue().size()))
                            .limit(MOST_NAMES)
                            .map(value -> value.getKey() + " on " + names(value.getValue()))
                            .collect(Collectors.joining("; "))));
        }
    }

    private static RackAlert critical(String text) {
        return new RackAlert(Severity.CRITICAL, text);
    }

    private static RackAlert warning(String text) {
        return new RackAlert(Severity.WARNING, text);
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    private static String names(List<String> names) {
        return NameList.some(names, MOST_NAMES);
    }
}
