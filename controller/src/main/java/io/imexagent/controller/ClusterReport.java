package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.setting.NamedChoice;
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

    /** The state of a ComputeDomain. */
    public enum ReportedDomainState implements NamedChoice {
        READY,
        NOT_READY,
        DELETING,
        /** The ComputeDomain is deleted, and tables or nodes still name it. */
        DELETED
    }

    /**
     * A ComputeDomain: its state, its template's name (empty once it is deleted), its channels by clique, and its
     * problems, in sentences.
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

    /**
     * The names of ComputeDomains for people. Two with one name, such as an old one and its successor, have their UIDs
     * added.
     */
    public static Function<DomainName, String> names(Stream<DomainName> domains) {
        Map<String, Set<ComputeDomainUid>> byName = domains.collect(
                Collectors.groupingBy(DomainName::toString, Collectors.mapping(DomainName::uid, Collectors.toSet())));
        return domain -> byName.getOrDefault(domain.toString(), Set.of()).size() > 1
                ? domain + " (" + domain.uid() + ")"
                : domain.toString();
    }

    /** A ComputeDomain's channel in a clique, empty while its nodes are binding one; the holders are sorted. */
    public record ChannelPlacement(
            CliqueId clique, Optional<ChannelId> channel, List<CliqueReport.ReportedNode> nodes) {

        public ChannelPlacement {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * A clique for people: its nodes, by name; the number of channels that can be bound, empty while no node has
     * reported its number; the nodes that limit this number; the bound channels, by number; and problems, in sentences.
     */
    public record CliqueReport(
            CliqueId clique,
            List<ReportedNode> nodes,
            OptionalInt channels,
            List<String> limitedBy,
            List<ReportedChannel> entries,
            List<String> wrong) {

        public CliqueReport {
            limitedBy = List.copyOf(limitedBy);
            nodes = List.copyOf(nodes);
            entries = List.copyOf(entries);
            wrong = List.copyOf(wrong);
        }

        /** The number of free channels; empty if the number of channels is unknown. */
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

        /** The nodes of the clique, without those that hold a channel here but have moved to another clique. */
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

        /**
         * The ready members that serve claims and hold no channel, neither a ComputeDomain's own nor channel 0; by
         * name.
         */
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

        /** Compares the members' files of nodes with each other. */
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

        /** The number of holds of ComputeDomains' own channels by nodes that do not answer. */
        public int lostHolds() {
            return lostHolds(ReportedNodeState.NOT_READY) + lostHolds(ReportedNodeState.MISSING);
        }

        /** The number of holds of ComputeDomains' own channels by nodes in this state. */
        public int lostHolds(ReportedNodeState state) {
            return (int) nodes.stream()
                    .filter(node -> node.state() == state)
                    .flatMap(node -> node.holds().stream())
                    .filter(Hold::binds)
                    .count();
        }

        /** The ComputeDomains that use channel 0 at the same time, by UID; empty if at most one does. */
        public List<DomainName> sharing() {
            SortedMap<ComputeDomainUid, DomainName> all = new TreeMap<>();
            nodes.stream()
                    .flatMap(node -> NvlinkNode.sharing(clique, node.status(), node.holds()).stream())
                    .forEach(domain -> all.put(domain.uid(), domain));
            return all.size() > 1 ? List.copyOf(all.values()) : List.of();
        }

        /** A sentence on shared use of channel 0; empty if at most one ComputeDomain uses it. */
        public Optional<String> shared() {
            List<String> names =
                    sharing().stream().map(names(sharing().stream())).sorted().toList();
            return names.isEmpty()
                    ? Optional.empty()
                    : Optional.of(names.size() + " ComputeDomains use channel 0 at once, and their pods can map each"
                            + " other's memory: " + NameList.some(names, MOST_NAMES));
        }

        private static final int MOST_NAMES = 4;

        /** The state of the Node of a node's name. */
        public enum ReportedNodeState implements NamedChoice {
            READY,
            NOT_READY,
            MISSING,
            UNKNOWN
        }

        /**
         * A node of a clique: the status that its agent reports, its holds by UID, and the time since when its Node has
         * not answered, as the controller recorded it; empty if it recorded none.
         */
        public record ReportedNode(
                String name,
                ReportedNodeState state,
                Optional<Instant> lostSince,
                NodeStatus status,
                List<Hold> holds) {

            public ReportedNode {
                holds = List.copyOf(holds);
            }

            /** Whether the node does not answer. */
            public boolean lost() {
                return state == ReportedNodeState.NOT_READY || state == ReportedNodeState.MISSING;
            }

            /** The node's name; if it does not answer, with its Node's state and since when. */
            public String text() {
                return lost()
                        ? name + " (" + state.text()
                                + lostSince.map(at -> " since " + at).orElse("") + ")"
                        : name;
            }
        }

        /** A bound channel, and the nodes that hold it, sorted. */
        public record ReportedChannel(ChannelEntry entry, List<String> holders) {

            public ReportedChannel {
                holders = List.copyOf(holders);
            }
        }
    }

    /** The recorded results of the fabric test in a clique, and those that still count for its nodes. */
    public record ReportedProof(FabricTest test, ProvenPairs pairs) {}

    /**
     * The cliques, and the nodes without a clique, by name, with the isolation of the cluster. {@code proofs} belong to
     * the cliques, and are empty if the recorded results are unknown. {@code rackLabels} are the Nodes' values of the
     * label that names racks, by Node name; whoever may write Nodes can set them.
     */
    public record ReportedFabric(
            Isolation isolation,
            List<CliqueReport> cliques,
            List<CliqueReport.ReportedNode> unplaced,
            Map<CliqueId, ReportedProof> proofs,
            Map<String, String> rackLabels) {

        public ReportedFabric {
            proofs = Map.copyOf(proofs);
            cliques = List.copyOf(cliques);
            unplaced = List.copyOf(unplaced);
            rackLabels = Map.copyOf(rackLabels);
        }
    }

    /**
     * The number of pairs of nodes by the result of the fabric test, in the words of {@link
     * ProvenPairs.CellState#TEXTS}; and of pairs whose last two runs failed while nvidia-imex reported both nodes
     * connected.
     */
    public record ProofCounts(Map<String, Long> pairs, long contradicted) {

        public ProofCounts {
            pairs = Map.copyOf(pairs);
        }
    }

    /**
     * The counts of cliques, with the cluster's isolation, the number of channels that are used in contradiction to a
     * table, the numbers of nodes that work in another mode or serve with another isolation than the controller, and
     * whether Nodes have been listed.
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

        /** The number of cliques in which several ComputeDomains use channel 0 at the same time. */
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

        /** The least number of free channels in any clique; NaN if no clique has a known number of channels. */
        public double leastFree() {
            return cliques.stream()
                    .map(CliqueReport::free)
                    .filter(OptionalInt::isPresent)
                    .mapToDouble(OptionalInt::getAsInt)
                    .min()
                    .orElse(Double.NaN);
        }

        /**
         * The number of holds of ComputeDomains' own channels by nodes that do not answer; NaN before the Nodes have
         * been listed.
         */
        public double lostHolds() {
            return nodesKnown
                    ? cliques.stream().mapToInt(CliqueReport::lostHolds).sum()
                    : Double.NaN;
        }
    }
}
