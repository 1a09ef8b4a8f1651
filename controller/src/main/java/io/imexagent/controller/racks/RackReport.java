package io.imexagent.controller.racks;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.controller.ClusterReport.ReportedFabric;
import io.imexagent.core.check.Severity;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The racks of a cluster, those with the worst alerts first, then by name; nodes without a clique come last. A node is
 * in one rack only. {@code stale} is the reason why the report may be old, as a sentence; empty if it is current.
 */
public record RackReport(Isolation isolation, Optional<String> stale, List<Rack> racks) {

    public RackReport {
        racks = List.copyOf(racks);
    }

    /**
     * A clique: its name, see {@link RackNames}; its nodes, by name; the numbers of channels that can be bound and that
     * are bound; its workloads; and its faults, the worst first. For the nodes without a clique only the nodes and
     * their faults are set.
     */
    public record Rack(
            Optional<CliqueId> clique,
            String name,
            List<CliqueReport.ReportedNode> trays,
            LinkMatrix links,
            OptionalInt channels,
            int used,
            List<RackWorkload> workloads,
            List<RackFault> faults,
            ProofMatrix proof) {

        public Rack {
            trays = List.copyOf(trays);
            workloads = List.copyOf(workloads);
            faults = List.copyOf(faults);
        }

        /** The severity of the worst fault. */
        public Severity worst() {
            return Severity.worst(faults.stream().map(RackFault::severity));
        }
    }

    /**
     * The report of the rack with this clique, otherwise of that with a node of this name, otherwise of that with this
     * name, otherwise of those with this label.
     */
    public RackReport named(String name) {
        Stream<Predicate<Rack>> ways = Stream.of(
                rack -> rack.clique().map(CliqueId::text).equals(Optional.of(name)),
                rack -> rack.trays().stream().anyMatch(tray -> tray.name().equals(name)),
                rack -> rack.name().equals(name),
                rack -> RackNames.hasLabel(rack.name(), name));
        List<Rack> found = ways.map(way -> racks.stream().filter(way).toList())
                .filter(some -> !some.isEmpty())
                .findFirst()
                .orElse(List.of());
        return new RackReport(isolation, stale, found);
    }

    /**
     * A ComputeDomain in a clique: its channel, empty while its nodes are binding one, and the nodes that hold it,
     * sorted.
     */
    public record RackWorkload(DomainName domain, Optional<ChannelId> channel, boolean releasing, List<String> nodes) {

        public RackWorkload {
            nodes = List.copyOf(nodes);
        }
    }

    private static final int MOST_WAITING = 256;
    private static final String UNPLACED = "Nodes without a clique";

    /** Makes the report of a fabric; {@code stale} is the reason why it may be old. */
    public static RackReport of(ReportedFabric fabric, Optional<String> stale) {
        Map<String, CliqueId> homes = homes(fabric.cliques());
        SortedMap<CliqueId, List<CliqueReport.ReportedNode>> placed = new TreeMap<>();
        for (CliqueReport clique : fabric.cliques()) {
            placed.put(
                    clique.clique(),
                    clique.nodes().stream()
                            .filter(node -> clique.clique().equals(homes.get(node.name())))
                            .sorted(Comparator.comparing(CliqueReport.ReportedNode::name))
                            .toList());
        }
        Map<CliqueId, String> names = RackNames.of(placed, fabric.rackLabels());
        var unplaced = new RackAddresses(fabric.unplaced());
        List<Rack> racks = new ArrayList<>();
        for (CliqueReport clique : fabric.cliques()) {
            List<CliqueReport.ReportedNode> trays = placed.getOrDefault(clique.clique(), List.of());
            var addresses = new RackAddresses(trays);
            LinkMatrix links = LinkMatrix.of(addresses);
            ProofMatrix proof = ProofMatrix.of(
                    trays, links, Optional.ofNullable(fabric.proofs().get(clique.clique())));
            racks.add(new Rack(
                    Optional.of(clique.clique()),
                    names.getOrDefault(clique.clique(), clique.clique().text()),
                    trays,
                    links,
                    clique.channels(),
                    clique.entries().size(),
                    workloads(clique, trays),
                    FaultRules.of(clique, addresses, links, proof, unplaced),
                    proof));
        }
        racks.sort(Comparator.comparing(Rack::worst).reversed().thenComparing(Rack::name));
        if (!fabric.unplaced().isEmpty()) {
            racks.add(new Rack(
                    Optional.empty(),
                    UNPLACED,
                    fabric.unplaced(),
                    LinkMatrix.NONE,
                    OptionalInt.empty(),
                    0,
                    List.of(),
                    FaultRules.ofUnplaced(fabric.unplaced()),
                    ProofMatrix.NONE));
        }
        return new RackReport(fabric.isolation(), stale, racks);
    }

    /**
     * The clique of each node. A node that was moved may still hold channels in earlier cliques; it belongs to the one
     * that it reports.
     */
    private static Map<String, CliqueId> homes(List<CliqueReport> cliques) {
        Map<String, CliqueId> homes = new HashMap<>();
        for (CliqueReport clique : cliques) {
            for (CliqueReport.ReportedNode node : clique.nodes()) {
                if (node.status().clique().equals(Optional.of(clique.clique()))) {
                    homes.put(node.name(), clique.clique());
                } else {
                    homes.putIfAbsent(node.name(), clique.clique());
                }
            }
        }
        return homes;
    }

    /**
     * The workloads of the table by their channels, then those that the rack's nodes hold and the table lacks, at most
     * {@value #MOST_WAITING}, since each node reports its own holds.
     */
    private static List<RackWorkload> workloads(CliqueReport clique, List<CliqueReport.ReportedNode> trays) {
        List<RackWorkload> workloads = new ArrayList<>();
        Map<String, Hold> waiting = new TreeMap<>();
        Map<String, TreeSet<String>> waitingOn = new HashMap<>();
        for (CliqueReport.ReportedNode node : trays) {
            for (Hold hold : node.holds()) {
                String uid = hold.domain().uid().value();
                waiting.putIfAbsent(uid, hold);
                waitingOn.computeIfAbsent(uid, none -> new TreeSet<>()).add(node.name());
            }
        }
        for (CliqueReport.ReportedChannel entry : clique.entries()) {
            ChannelEntry bound = entry.entry();
            waiting.remove(bound.domain().uid().value());
            workloads.add(new RackWorkload(
                    bound.domain(),
                    Optional.of(bound.id()),
                    bound.state() == ChannelEntry.EntryState.RELEASING,
                    entry.holders()));
        }
        waiting.entrySet().stream()
                .limit(MOST_WAITING)
                .forEach(held -> workloads.add(new RackWorkload(
                        held.getValue().domain(),
                        held.getValue().channel(),
                        false,
                        List.copyOf(waitingOn.getOrDefault(held.getKey(), new TreeSet<>())))));
        return workloads;
    }
}
