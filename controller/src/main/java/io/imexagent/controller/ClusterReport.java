package io.imexagent.controller;

import io.imexagent.controller.ClusterReport.CliqueReport;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.policy.Isolation;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The ComputeDomains, by namespace and name, and the cliques in which they have channels, for people. */
public record ClusterReport(List<Domain> domains, List<CliqueReport> cliques) {

    public static final ClusterReport EMPTY = new ClusterReport(List.of(), List.of());

    public ClusterReport {
        domains = List.copyOf(domains);
        cliques = List.copyOf(cliques);
    }

    /** A ComputeDomain: its status, its template's name, where it has channels, and what is wrong, in sentences. */
    public record Domain(
            String namespace,
            String name,
            String uid,
            boolean ready,
            boolean deleting,
            String template,
            List<Place> places,
            List<String> wrong) {

        public Domain {
            places = List.copyOf(places);
            wrong = List.copyOf(wrong);
        }
    }

    /** A clique in which a ComputeDomain has a channel, empty while nodes look for one; the holders are sorted. */
    public record Place(CliqueId clique, Optional<ChannelId> channel, List<String> nodes) {

        public Place {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * A clique as people want to see it: its nodes, by name; how many channels can be bound, empty while no node has
     * said how many it has; those that are bound, by number; and what is wrong, in sentences.
     */
    public record CliqueReport(
            CliqueId clique, List<Node> nodes, OptionalInt channels, List<Entry> entries, List<String> wrong) {

        public CliqueReport {
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

        /** How many holds are those of nodes that do not answer. */
        public int lostHolds() {
            return nodes.stream()
                    .filter(Node::lost)
                    .mapToInt(node -> node.holds().size())
                    .sum();
        }

        /** How the cluster's Node of a name is. */
        public enum NodeState {
            READY("Ready"),
            NOT_READY("NotReady"),
            MISSING("Missing"),
            UNKNOWN("Unknown");

            private final String text;

            NodeState(String text) {
                this.text = text;
            }

            public String text() {
                return text;
            }
        }

        /** A node of a clique: what its agent tells of it, and what it holds, by UID. */
        public record Node(String name, NodeState state, NodeSight sight, List<Hold> holds) {

            public Node {
                holds = List.copyOf(holds);
            }

            /** Whether the node does not answer. */
            public boolean lost() {
                return state == NodeState.NOT_READY || state == NodeState.MISSING;
            }
        }

        /** A channel that is bound, and the nodes that hold it, sorted. */
        public record Entry(ChannelEntry entry, List<String> holders) {

            public Entry {
                holders = List.copyOf(holders);
            }
        }
    }

    /** The cliques, and the nodes that are in none, by name; under this isolation. */
    public record Fabric(Isolation isolation, List<CliqueReport> cliques, List<CliqueReport.Node> unplaced) {

        public Fabric {
            cliques = List.copyOf(cliques);
            unplaced = List.copyOf(unplaced);
        }
    }

    /** Cliques in numbers, with how many channels are used against the table, and whether Nodes have been listed. */
    public record FabricCounts(List<CliqueReport> cliques, int conflicts, boolean nodesKnown) {

        public FabricCounts {
            cliques = List.copyOf(cliques);
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
