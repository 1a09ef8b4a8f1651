package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.CliqueReport.ReportedNode;
import io.imexagent.controller.ClusterReport.ReportedDomain;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.ControlPlane.PlacedPod;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.clique.CliquePlacement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The state of the pods that are kept in one clique, in sentences: pods that wait and why, pods of one ComputeDomain in
 * several cliques, and Nodes without the label by which the scheduler finds their clique. {@code labels} has the clique
 * of each Node with the label, {@code ready} whether each Node is ready, and {@code unplaced} the ComputeDomains beyond
 * the limit of their namespace.
 */
public record PlacementReport(
        List<PlacedPod> pods, Map<String, String> labels, Map<String, Boolean> ready, Set<String> unplaced) {

    private static final int MOST_NAMES = 4;

    public PlacementReport {
        pods = pods.stream().filter(pod -> !pod.ended()).toList();
        labels = Map.copyOf(labels);
        ready = Map.copyOf(ready);
        unplaced = Set.copyOf(unplaced);
    }

    /** The ComputeDomains of a report, with the problems of the placement of their pods added. */
    public List<ReportedDomain> domains(ClusterReport report) {
        Map<String, Long> free = free(report.cliques());
        // Only pods of the ComputeDomain's own namespace count, since users of other namespaces may write any label.
        Map<String, List<PlacedPod>> own =
                pods.stream().collect(Collectors.groupingBy(pod -> pod.namespace() + "/" + pod.domain()));
        return report.domains().stream()
                .map(domain -> with(
                        domain,
                        wrong(domain, own.getOrDefault(domain.namespace() + "/" + domain.uid(), List.of()), free)))
                .toList();
    }

    private static ReportedDomain with(ReportedDomain domain, List<String> wrong) {
        return new ReportedDomain(
                domain.namespace(),
                domain.name(),
                domain.uid(),
                domain.state(),
                domain.template(),
                domain.places(),
                Stream.concat(domain.wrong().stream(), wrong.stream()).toList());
    }

    private List<String> wrong(ReportedDomain domain, List<PlacedPod> own, Map<String, Long> free) {
        List<String> wrong = new ArrayList<>();
        if (unplaced.contains(domain.uid())) {
            wrong.add("its pods are not kept in one clique, since its namespace has more than "
                    + CliquePlacement.MOST_TEMPLATES + " ComputeDomains that ask for it");
        }
        own.stream()
                .collect(Collectors.groupingBy(PlacedPod::group, TreeMap::new, Collectors.toList()))
                .forEach((group, of) -> wrong.addAll(ofGroup(group, of, free)));
        return wrong;
    }

    private List<String> ofGroup(String group, List<PlacedPod> own, Map<String, Long> free) {
        String which = group.isEmpty() ? "" : " of group " + group;
        Map<String, Long> homes = own.stream()
                .flatMap(pod -> pod.node().map(labels::get).stream())
                .collect(Collectors.groupingBy(Function.identity(), TreeMap::new, Collectors.counting()));
        List<String> wrong = new ArrayList<>();
        if (homes.size() > 1) {
            wrong.add(
                    "its pods" + which + " are in " + homes.size() + " cliques, and none reaches the memory of those in"
                            + " another: "
                            + homes.entrySet().stream()
                                    .map(home -> home.getValue() + " in " + home.getKey())
                                    .collect(Collectors.joining(", "))
                            + "; delete those in all but one");
        }
        List<PlacedPod> waiting = own.stream()
                .filter(pod -> pod.node().isEmpty() && pod.waiting().isPresent())
                .sorted(Comparator.comparing(PlacedPod::name))
                .toList();
        if (!waiting.isEmpty()) {
            wrong.add("pods" + which + " wait: "
                    + NameList.some(waiting.stream().map(PlacedPod::name).toList(), MOST_NAMES) + "; "
                    + why(own.size(), homes, free)
                    + "; the scheduler says: " + waiting.getFirst().waiting().orElseThrow());
        }
        return wrong;
    }

    private String why(int pods, Map<String, Long> homes, Map<String, Long> free) {
        if (labels.isEmpty()) {
            return "no Node has the label " + DriverNames.CLIQUE_LABEL + ": set publication.cliqueLabel on the agents";
        }
        Optional<Map.Entry<String, Long>> roomiest = free.entrySet().stream()
                .filter(clique -> clique.getValue() > 0)
                .max(Map.Entry.<String, Long>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())));
        if (homes.size() != 1) {
            return roomiest.map(PlacementReport::room).orElse("no clique has a node without such a pod");
        }
        String home = homes.keySet().iterator().next();
        long left = free.getOrDefault(home, 0L);
        return left > 0
                ? room(Map.entry(home, left)) + ", and is where its other pods are"
                : "clique " + home + ", where its other pods are, is full; "
                        + roomiest.filter(clique -> clique.getValue() >= pods)
                                .map(clique -> room(clique) + ": delete all its pods, to start together there")
                                .orElse("no other has room for all " + pods);
    }

    private static String room(Map.Entry<String, Long> clique) {
        return "clique " + clique.getKey() + " has " + clique.getValue() + (clique.getValue() == 1 ? " node" : " nodes")
                + " without a pod of a ComputeDomain";
    }

    /** The number of Nodes of each clique that are ready and have no pod of a ComputeDomain. */
    private Map<String, Long> free(List<CliqueReport> cliques) {
        Set<String> taken = Stream.concat(
                        pods.stream().flatMap(pod -> pod.node().stream()),
                        cliques.stream()
                                .flatMap(clique -> clique.nodes().stream())
                                .filter(node -> !node.holds().isEmpty())
                                .map(ReportedNode::name))
                .collect(Collectors.toSet());
        return labels.entrySet().stream()
                .collect(Collectors.groupingBy(
                        Map.Entry::getValue,
                        TreeMap::new,
                        Collectors.filtering(
                                node -> ready.getOrDefault(node.getKey(), false) && !taken.contains(node.getKey()),
                                Collectors.counting())));
    }

    /**
     * The cliques, each with a problem added for those of its nodes whose Node lacks the label, or has that of another
     * clique.
     */
    public List<CliqueReport> cliques(List<CliqueReport> cliques) {
        return cliques.stream().map(this::labelled).toList();
    }

    private CliqueReport labelled(CliqueReport clique) {
        List<String> without = clique.nodes().stream()
                .filter(node -> node.status().clique().equals(Optional.of(clique.clique())))
                .map(ReportedNode::name)
                .filter(node -> !clique.clique().text().equals(labels.get(node)))
                .toList();
        if (without.isEmpty()) {
            return clique;
        }
        return new CliqueReport(
                clique.clique(),
                clique.nodes(),
                clique.channels(),
                clique.limitedBy(),
                clique.entries(),
                Stream.concat(
                                clique.wrong().stream(),
                                Stream.of(
                                        "pods are not placed by clique on Nodes whose label " + DriverNames.CLIQUE_LABEL
                                                + " does not name it: " + NameList.some(without, MOST_NAMES)
                                                + "; set publication.cliqueLabel on the agents"))
                        .toList());
    }
}
