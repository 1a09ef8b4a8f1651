package io.imexagent.imex.health;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A whole IMEX domain at one moment, as the daemon of one node sees it, which {@code local} is; empty where the report
 * does not mark it. Each index comes once, in order.
 */
public record DomainReport(List<NodeReport> nodes, Printed<DomainState> state, OptionalInt local) {

    /** The largest index that is read. A rack has 18 nodes, the largest domains some dozens. */
    static final int LARGEST_INDEX = 1023;

    public DomainReport {
        nodes = List.copyOf(nodes);
    }

    /** The number of a node in these digits; empty where they are none, or it is too large. */
    static OptionalInt index(String digits) {
        boolean fits = !digits.isEmpty()
                && digits.length() <= 4
                && digits.chars().allMatch(c -> c >= '0' && c <= '9')
                && Integer.parseInt(digits) <= LARGEST_INDEX;
        return fits ? OptionalInt.of(Integer.parseInt(digits)) : OptionalInt.empty();
    }

    /** This report with the asked node marked. */
    public DomainReport withLocal(OptionalInt index) {
        return new DomainReport(nodes, state, index);
    }

    /** This report with the host of these names marked, where none is marked yet and exactly one node fits. */
    DomainReport marked(Supplier<Set<String>> names) {
        if (local.isPresent()) {
            return this;
        }
        Set<String> mine = names.get();
        int[] fitting = nodes.stream()
                .filter(node -> mine.contains(node.address())
                        || node.hostName().filter(mine::contains).isPresent())
                .mapToInt(NodeReport::index)
                .toArray();
        return fitting.length == 1 ? withLocal(OptionalInt.of(fitting[0])) : this;
    }

    /** Whether this is the node that was asked. */
    public boolean isLocal(NodeReport node) {
        return local.isPresent() && local.getAsInt() == node.index();
    }

    Optional<NodeReport> node(int index) {
        return nodes.stream().filter(node -> node.index() == index).findFirst();
    }

    public String name(int index) {
        return node(index).map(NodeReport::name).orElse("node " + index);
    }

    /** The connection from one node to another; empty where the report does not tell. */
    public Optional<Printed<ConnectionState>> connection(int from, int to) {
        return node(from).map(node -> node.connections().get(to));
    }

    public long ready() {
        return nodes.stream().filter(NodeReport::ready).count();
    }

    /** The names of the nodes that are not ready, in their order. */
    public List<String> missing() {
        return nodes.stream()
                .filter(node -> !node.ready())
                .map(NodeReport::name)
                .toList();
    }
}
