package io.imexagent.imex.health;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The nodes in a report and, separately, the connections between them.
 *
 * <p>Two nodes are not connected if one of them reports any state other than {@code CONNECTED}, even an undefined one.
 * {@code INVALID} in the row of a node that did not answer is ignored.
 *
 * @param silent the nodes that did not answer and to which others are connected: they run, and only their command
 *     service cannot be reached
 * @param missing the nodes that are not ready: they report so, or did not answer and no node is connected to them
 * @param lost the pairs of other nodes that are not connected
 */
public record DomainLinks(
        DomainReport report, List<NodeReport> silent, List<NodeReport> missing, List<Unconnected> lost) {

    /**
     * Two nodes that are not connected, and the states that one or both of them report.
     *
     * @param from the node that reports the state; if both do, the one with the lower index
     * @param states each state once, {@code CONNECTED} never
     */
    public record Unconnected(int from, int to, List<PrintedState<ConnectionState>> states) {

        public Unconnected {
            states = List.copyOf(states);
        }

        private Unconnected and(Unconnected back) {
            return new Unconnected(
                    from,
                    to,
                    Stream.concat(states.stream(), back.states.stream())
                            .distinct()
                            .toList());
        }

        public String words() {
            return states.stream().map(PrintedState::word).collect(Collectors.joining(", "));
        }

        /** The fault that waiting does not fix, the first by kind; empty if waiting may connect the pair. */
        Optional<LinkFault.LinkFaultKind> fault() {
            return Arrays.stream(LinkFault.LinkFaultKind.values())
                    .filter(kind -> states.stream().anyMatch(state -> state.is(kind.state())))
                    .findFirst();
        }
    }

    public DomainLinks {
        silent = List.copyOf(silent);
        missing = List.copyOf(missing);
        lost = List.copyOf(lost);
    }

    public static DomainLinks of(DomainReport report) {
        List<NodeReport> silent = report.nodes().stream()
                .filter(node -> !node.answered() && isReached(report, node))
                .toList();
        List<NodeReport> missing = report.nodes().stream()
                .filter(node -> !node.ready() && !silent.contains(node))
                .toList();
        // A connection to a missing node is lost with that node, and not counted in addition.
        return new DomainLinks(report, silent, missing, unconnected(report, missing));
    }

    /** Whether another node reports that it is connected to this one. */
    private static boolean isReached(DomainReport report, NodeReport node) {
        return report.nodes().stream()
                .filter(other -> other.index() != node.index())
                .anyMatch(other -> isConnected(other, node));
    }

    /** The states that a node reports of its connections. */
    private static SortedMap<Integer, PrintedState<ConnectionState>> reportedStates(NodeReport from) {
        var reported = new TreeMap<>(from.connections());
        if (!from.answered()) {
            reported.values().removeIf(state -> state.is(ConnectionState.INVALID));
        }
        return reported;
    }

    /** Whether the row of a node has the state of a connection to another node. */
    static boolean reportsConnections(NodeReport from) {
        return reportedStates(from).keySet().stream().anyMatch(to -> to != from.index());
    }

    /** The pairs that are not connected, in order, without those of a node that is gone. */
    private static List<Unconnected> unconnected(DomainReport report, List<NodeReport> gone) {
        var pairs = new TreeMap<Integer, SortedMap<Integer, Unconnected>>();
        for (NodeReport node : report.nodes()) {
            int from = node.index();
            reportedStates(node).forEach((to, state) -> {
                if (!state.is(ConnectionState.CONNECTED)) {
                    pairs.computeIfAbsent(Math.min(from, to), lower -> new TreeMap<>())
                            .merge(Math.max(from, to), new Unconnected(from, to, List.of(state)), Unconnected::and);
                }
            });
        }
        Set<Integer> left = gone.stream().map(NodeReport::index).collect(Collectors.toSet());
        return pairs.values().stream()
                .flatMap(others -> others.values().stream())
                .filter(pair -> !left.contains(pair.from()) && !left.contains(pair.to()))
                .toList();
    }

    /** The pairs that waiting does not connect, including those of a node that is not ready. */
    List<Unconnected> refused() {
        return unconnected(report, List.of()).stream()
                .filter(pair -> pair.fault().isPresent())
                .toList();
    }

    /** The pairs that are not connected, without those of a node that is gone. */
    List<Unconnected> lostBeside(List<NodeReport> gone) {
        return unconnected(report, gone);
    }

    /** The pairs of running nodes, ready or not, that are not connected. */
    List<Unconnected> lostOfRunning() {
        return unconnected(
                report,
                report.nodes().stream()
                        .filter(node -> !node.answered() && !silent.contains(node))
                        .toList());
    }

    /** The local node; empty if it is unknown. */
    Optional<NodeReport> here() {
        return report.nodes().stream().filter(report::isLocal).findFirst();
    }

    /** Whether the local node reports that it can share memory with all others. */
    boolean reachesAll() {
        return here().filter(here -> here.ready() && others(here).allMatch(other -> isConnected(here, other)))
                        .isPresent()
                && missing.isEmpty()
                && lost.isEmpty();
    }

    /** Whether all other nodes report so of the local node, whose own row was not read. */
    boolean isReachedByAll() {
        return here().filter(here -> silent.contains(here) && others(here).allMatch(other -> isConnected(other, here)))
                        .isPresent()
                && missing.isEmpty()
                && lost.isEmpty();
    }

    private Stream<NodeReport> others(NodeReport node) {
        return report.nodes().stream().filter(other -> other.index() != node.index());
    }

    private static boolean isConnected(NodeReport from, NodeReport to) {
        return Optional.ofNullable(from.connections().get(to.index()))
                .filter(state -> state.is(ConnectionState.CONNECTED))
                .isPresent();
    }

    /** Whether no daemon answered, the local one included, so that the rest of the report is a guess. */
    boolean isMute() {
        return report.nodes().stream().noneMatch(NodeReport::answered);
    }

    /** The names of the nodes that are not ready, in the order of the report. */
    public List<String> missingNames() {
        return names(missing);
    }

    List<String> names(List<NodeReport> nodes) {
        return nodes.stream().map(node -> report.name(node.index())).toList();
    }

    /** These pairs with their states: {@code a to b (DISCONNECTED)}. */
    List<String> pairs(List<Unconnected> pairs) {
        return pairs.stream()
                .map(pair -> between(pair, " to ") + " (" + pair.words() + ")")
                .toList();
    }

    /** The names of both nodes with {@code word} between them. */
    String between(Unconnected pair, String word) {
        return report.name(pair.from()) + word + (pair.from() == pair.to() ? "itself" : report.name(pair.to()));
    }
}
