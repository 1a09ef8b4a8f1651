package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.text.NameList;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.FabricTest;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.kubernetes.clique.NodeStatus;
import io.imexagent.kubernetes.clique.NodesFileComparison;
import io.imexagent.kubernetes.clique.NodesFileComparison.FileMember;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.ProvenPairs;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The ComputeDomains, by namespace and name, and the cliques in which they have channels, for people. */
public record ClusterReport(List<ReportedDomain> domains, List<CliqueReport> cliques) {

    public static final ClusterReport EMPTY = new ClusterReport(List.of(), List.of());

    public ClusterReport {
        domains = List.copyOf(domains);
        cliques = List.copyOf(cliques);
    }

    /** How a ComputeDomain is. */
    public enum ReportedDomainState {
        READY("Ready"),
        NOT_READY("NotReady"),
        DELETING("Deleting"),
        /** It is gone, and tables or nodes still name it. */
        DELETED("Deleted");

        private final String text;

        ReportedDomainState(String text) {
            this.text = text;
        }

        public String text() {
            return text;
        }
    }

    /**
     * A ComputeDomain: its state, its template's name, empty once it is gone, where it has channels, and what is wrong, in
     * sentences.
     */
    public record ReportedDomain(
            String namespace,
            String name,
            String uid,
            ReportedDomainState state,
            String template,
            List<ChannelPlacement> places,
            List<String> wrong) {

        public ReportedDomain {
            places = List.copyOf(places);
            wrong = List.copyOf(wrong);
        }
    }

    /** What people call ComputeDomains: two of one name, an old one and its successor, by their UIDs as well. */
    public static Function<DomainName, String> names(Stream<DomainName> domains) {
        Map<String, Set<ComputeDomainUid>> byName = domains.collect(
                Collectors.groupingBy(DomainName::toString, Collectors.mapping(DomainName::uid, Collectors.toSet())));
        return domain -> byName.getOrDefault(domain.toString(), Set.of()).size() > 1
                ? domain + " (" + domain.uid() + ")"
                : domain.toString();
    }

    /** A clique in which a ComputeDomain has a channel, empty while nodes look for one; the holders are sorted. */
    public record ChannelPlacement(
            CliqueId clique, Optional<ChannelId> channel, List<CliqueReport.ReportedNode> nodes) {

        public ChannelPlacement {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * A clique as people want to see it: its nodes, by name; how many channels can be bound, empty while no node has
     * said how many it has; the nodes that make them fewer than others have; those that are bound, by number; and what is
     * wrong, in sentences.
     */
    public record CliqueReport(
            CliqueId clique,
            List<ReportedNode> nodes,
            OptionalInt channels,
            List<String> limitedBy,
            List<ReportedChannel> entries,
            List<String> wrong) {

        /** A clique in which all nodes have as many channels as is asked for. */
        public CliqueReport(
                CliqueId clique,
                List<ReportedNode> nodes,
                OptionalInt channels,
                List<ReportedChannel> entries,
                List<String> wrong) {
            this(clique, nodes, channels, List.of(), entries, wrong);
        }

        public CliqueReport {
            limitedBy = List.copyOf(limitedBy);
            nodes = List.copyOf(nodes);
            entries = List.copyOf(entries);
            wrong = List.copyOf(wrong);
        }

        /** How many channels are free; empty where it is not known how many there are. */
        public OptionalInt free() {
            return channels.isPresent()
                    ? OptionalInt.of(Math.max(0, channels.getAsInt() - entries.size()))
                    : OptionalInt.empty();
        }

        /** A sentence on the nodes that have too few channels; empty if there are none. */
        public Optional<String> limited() {
            if (limitedBy.isEmpty() || channels.isEmpty()) {
                return Optional.empty();
            }
            boolean one = limitedBy.size() == 1;
            return Optional.of(NameList.some(limitedBy, MOST_NAMES) + (one ? " has" : " have")
                    + " fewer IMEX channels than the other nodes, so workloads have " + channels.getAsInt()
                    + (channels.getAsInt() == 1 ? " channel" : " channels") + ": load "
                    + (one ? "its driver" : "their drivers") + " with as many");
        }

        /** The nodes that are in the clique, and did not move to another while they hold a channel of this one. */
        public List<ReportedNode> members() {
            return nodes.stream()
                    .filter(node -> node.status()
                            .clique()
                            .filter(at -> !at.equals(clique))
                            .isEmpty())
                    .toList();
        }

        /** The members whose Node is Ready. */
        public List<ReportedNode> ready() {
            return members().stream()
                    .filter(node -> node.state() == ReportedNodeState.READY)
                    .toList();
        }

        /** Those of them that serve claims, and hold no channel, neither one of a ComputeDomain's own nor channel 0; by name. */
        public List<String> freeNodes() {
            return ready().stream()
                    .filter(node -> node.holds().isEmpty()
                            && node.status()
                                    .mode()
                                    .filter(NodeMode.ObservingMode.class::isInstance)
                                    .isEmpty())
                    .map(ReportedNode::name)
                    .toList();
        }

        /** The files of nodes of the members, against each other. */
        public NodesFileComparison nodesFiles() {
            return NodesFileComparison.of(fileMembers());
        }

        List<FileMember> fileMembers() {
            return members().stream()
                    .map(node -> new FileMember(
                            node.name(),
                            node.status().links().map(NodeLinks::address),
                            node.status().nodesFile()))
                    .toList();
        }

        /** How many channels of a ComputeDomain's own are held by nodes that do not answer. */
        public int lostHolds() {
            return lostHolds(ReportedNodeState.NOT_READY) + lostHolds(ReportedNodeState.MISSING);
        }

        /** The same of nodes in this state alone. */
        public int lostHolds(ReportedNodeState state) {
            return (int) nodes.stream()
                    .filter(node -> node.state() == state)
                    .flatMap(node -> node.holds().stream())
                    .filter(Hold::binds)
                    .count();
        }

        /** The ComputeDomains that use channel 0 at once, by UID; empty where there is one at most. */
        public List<DomainName> sharing() {
            SortedMap<ComputeDomainUid, DomainName> all = new TreeMap<>();
            nodes.stream()
                    .flatMap(node -> NvlinkNode.sharing(clique, node.status(), node.holds()).stream())
                    .forEach(domain -> all.put(domain.uid(), domain));
            return all.size() > 1 ? List.copyOf(all.values()) : List.of();
        }

        /** A sentence on the sharing; empty if nothing is shared. */
        public Optional<String> shared() {
            List<String> names =
                    sharing().stream().map(names(sharing().stream())).sorted().toList();
            return names.isEmpty()
                    ? Optional.empty()
                    : Optional.of(names.size() + " ComputeDomains use channel 0 at once, and their pods can map each"
                            + " other's memory: " + NameList.some(names, MOST_NAMES));
        }

        private static final int MOST_NAMES = 4;

        /** How the cluster's Node of a name is. */
        public enum ReportedNodeState {
            READY("Ready"),
            NOT_READY("NotReady"),
            MISSING("Missing"),
            UNKNOWN("Unknown");

            private final String text;

            ReportedNodeState(String text) {
                this.text = text;
            }

            public String text() {
                return text;
            }
        }

        /**
         * A node of a clique: what its agent tells of it, and what it holds, by UID; and since when its Node has not
         * answered, as the controller saw it, empty where it has not said so.
         */
        public record ReportedNode(
                String name,
                ReportedNodeState state,
                Optional<Instant> lostSince,
                NodeStatus status,
                List<Hold> holds) {

            /** A node without a known time since when it does not answer. */
            public ReportedNode(String name, ReportedNodeState state, NodeStatus status, List<Hold> holds) {
                this(name, state, Optional.empty(), status, holds);
            }

            public ReportedNode {
                holds = List.copyOf(holds);
            }

            /** Whether the node does not answer. */
            public boolean lost() {
                return state == ReportedNodeState.NOT_READY || state == ReportedNodeState.MISSING;
            }

            /** Its name, and where it does not answer, how its Node is and since when. */
            public String text() {
                return lost()
                        ? name + " (" + state.text()
                                + lostSince.map(at -> " since " + at).orElse("") + ")"
                        : name;
            }
        }

        /** A channel that is bound, and the nodes that hold it, sorted. */
        public record ReportedChannel(ChannelEntry entry, List<String> holders) {

            public ReportedChannel {
                holders = List.copyOf(holders);
            }
        }
    }

    /** What is recorded of the fabric test in a clique, and what of it still counts for its nodes. */
    public record ReportedProof(FabricTest test, ProvenPairs pairs) {}

    /**
     * The cliques, and the nodes that are in none, by name; under this isolation. The proofs are those of the cliques; empty
     * where it is not known what is recorded. {@code rackLabels} are the values that Nodes have of the label that names racks,
     * by the Nodes' names, as whoever may write Nodes has them.
     */
    public record ReportedFabric(
            Isolation isolation,
            List<CliqueReport> cliques,
            List<CliqueReport.ReportedNode> unplaced,
            Map<CliqueId, ReportedProof> proofs,
            Map<String, String> rackLabels) {

        /** A fabric of which no result of the fabric test is known. */
        public ReportedFabric(
                Isolation isolation, List<CliqueReport> cliques, List<CliqueReport.ReportedNode> unplaced) {
            this(isolation, cliques, unplaced, Map.of(), Map.of());
        }

        public ReportedFabric {
            proofs = Map.copyOf(proofs);
            cliques = List.copyOf(cliques);
            unplaced = List.copyOf(unplaced);
            rackLabels = Map.copyOf(rackLabels);
        }
    }

    /**
     * Pairs of nodes by what the fabric test proves of them, in the words of {@link ProvenPairs.CellState#TEXTS}; and those
     * of which the last two runs failed while nvidia-imex called both nodes connected.
     */
    public record ProofCounts(Map<String, Long> pairs, long contradicted) {

        public ProofCounts {
            pairs = Map.copyOf(pairs);
        }
    }

    /**
     * Cliques in numbers, under this isolation, with how many channels are used against the table, how many nodes work in
     * another mode, or serve with another isolation, than the controller, and whether Nodes have been listed.
     */
    public record FabricCounts(
            Isolation isolation,
            List<CliqueReport> cliques,
            int conflicts,
            int ofAnotherMode,
            int ofAnotherIsolation,
            boolean nodesKnown) {

        public FabricCounts {
            cliques = List.copyOf(cliques);
        }

        /** In how many cliques several ComputeDomains use channel 0 at once. */
        public int shared() {
            return (int) cliques.stream()
                    .filter(clique -> !clique.sharing().isEmpty())
                    .count();
        }

        public int used() {
            return cliques.stream().mapToInt(clique -> clique.entries().size()).sum();
        }

        public int free() {
            return cliques.stream().mapToInt(clique -> clique.free().orElse(0)).sum();
        }

        /** How many channels are free in the fullest clique; not a number where no clique says how many it has. */
        public double leastFree() {
            return cliques.stream()
                    .map(CliqueReport::free)
                    .filter(OptionalInt::isPresent)
                    .mapToDouble(OptionalInt::getAsInt)
                    .min()
                    .orElse(Double.NaN);
        }

        /** How many holds are those of nodes that do not answer; not a number before the Nodes have been listed. */
        public double lostHolds() {
            return nodesKnown
                    ? cliques.stream().mapToInt(CliqueReport::lostHolds).sum()
                    : Double.NaN;
        }
    }
}
