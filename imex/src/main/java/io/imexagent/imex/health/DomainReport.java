package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A whole IMEX domain at one moment, as the daemon of one node reports it. {@code local} is that node; empty if the
 * report does not mark it. Each index occurs once, in order.
 */
public record DomainReport(List<NodeReport> nodes, PrintedState<DomainState> state, OptionalInt local) {

    /** The largest index that is accepted. A rack has 18 nodes, the largest domains some dozens. */
    static final int LARGEST_INDEX = 1023;

    public DomainReport {
        nodes = List.copyOf(nodes);
    }

    /** The number of a node in these digits; empty for other characters or too large a number. */
    static OptionalInt index(String digits) {
        int index = digits.matches("[0-9]{1,4}") ? Integer.parseInt(digits) : LARGEST_INDEX + 1;
        return index <= LARGEST_INDEX ? OptionalInt.of(index) : OptionalInt.empty();
    }

    /** This report with the local node marked. */
    public DomainReport withLocal(OptionalInt index) {
        return new DomainReport(nodes, state, index);
    }

    /**
     * This report with this host marked, unless a node is marked already: the only node with an address or name of the
     * host, or otherwise the only one that answered, since the daemon of this host did.
     */
    DomainReport marked(NodeIdentity host) {
        if (local.isPresent()) {
            return this;
        }
        List<Integer> called = fitting(host);
        if (called.size() == 1) {
            return withLocal(OptionalInt.of(called.getFirst()));
        }
        int[] answered = nodes.stream()
                .filter(NodeReport::answered)
                .mapToInt(NodeReport::index)
                .toArray();
        return answered.length == 1 ? withLocal(OptionalInt.of(answered[0])) : this;
    }

    /** The indices of the nodes that have an address or a name of the host. */
    List<Integer> fitting(NodeIdentity host) {
        return new NodeDirectory(nodes.stream().map(NodeReport::identity).toList())
                .fitting(host).stream().map(place -> nodes.get(place).index()).toList();
    }

    /** Whether this is the local node. */
    public boolean isLocal(NodeReport node) {
        return local.isPresent() && local.getAsInt() == node.index();
    }

    Optional<NodeReport> node(int index) {
        return nodes.stream().filter(node -> node.index() == index).findFirst();
    }

    /** The name of a node for people, with its address if another node has the same name. */
    public String name(int index) {
        return node(index)
                .map(node -> nodes.stream().filter(node::isNamedAs).count() > 1
                        ? node.name() + " (" + (node.address().isBlank() ? "node " + index : node.address()) + ")"
                        : node.name())
                .orElse("node " + index);
    }

    /** The connection from one node to another; empty if the report does not contain it. */
    public Optional<PrintedState<ConnectionState>> connection(int from, int to) {
        return node(from).map(node -> node.connections().get(to));
    }

    public long ready() {
        return nodes.stream().filter(NodeReport::ready).count();
    }
}
