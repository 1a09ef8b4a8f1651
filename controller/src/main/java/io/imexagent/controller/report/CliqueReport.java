package io.imexagent.controller.report;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NodeSight;
import java.util.List;
import java.util.OptionalInt;

/**
 * A clique as people want to see it.
 *
 * @param nodes the nodes that are in it, or hold in it, by name
 * @param channels how many channels can be bound; empty while no node has said how many it has
 * @param entries the channels that are bound, by number
 * @param wrong what is wrong, in sentences
 */
public record CliqueReport(
        CliqueId clique, List<Node> nodes, OptionalInt channels, List<Entry> entries, List<String> wrong) {

    /** Copies the lists in. */
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
        /** It is ready. */
        READY("Ready"),
        /** Its kubelet says otherwise, or nothing. */
        NOT_READY("NotReady"),
        /** There is no such Node. */
        MISSING("Missing"),
        /** The Nodes have not been listed. */
        UNKNOWN("Unknown");

        private final String text;

        NodeState(String text) {
            this.text = text;
        }

        /** The state as people read it. */
        public String text() {
            return text;
        }
    }

    /**
     * A node of a clique.
     *
     * @param sight what its agent tells of it
     * @param holds what it holds, by UID
     */
    public record Node(String name, NodeState state, NodeSight sight, List<Hold> holds) {

        /** Copies the list in. */
        public Node {
            holds = List.copyOf(holds);
        }

        /** Whether the node does not answer. */
        public boolean lost() {
            return state == NodeState.NOT_READY || state == NodeState.MISSING;
        }
    }

    /**
     * A channel that is bound.
     *
     * @param holders the nodes that hold it, sorted
     */
    public record Entry(ChannelEntry entry, List<String> holders) {

        /** Copies the list in. */
        public Entry {
            holders = List.copyOf(holders);
        }
    }
}
