package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeIdentity;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * One node of a domain; its number is its line in {@code nodes_config.cfg}, from 0.
 *
 * @param address its address in that file; empty if the report has none
 * @param version the daemon's version; empty for a node that was not reached
 * @param connections by the index of the other node, its own included; empty if the report has no matrix
 */
public record NodeReport(
        int index,
        String address,
        Optional<String> hostName,
        PrintedState<DaemonState> state,
        Optional<String> version,
        SortedMap<Integer, PrintedState<ConnectionState>> connections) {

    public NodeReport {
        address = PrintedState.line(address);
        hostName = hostName.map(PrintedState::line);
        version = version.map(PrintedState::word);
        connections = Collections.unmodifiableSortedMap(
                new TreeMap<>((Map<Integer, PrintedState<ConnectionState>>) connections));
    }

    /** The name for people: the host name, or otherwise the address, or otherwise the number. */
    public String name() {
        return hostName.or(() -> Optional.of(address))
                .filter(text -> !text.isBlank())
                .orElse("node " + index);
    }

    boolean isNamedAs(NodeReport other) {
        return name().equals(other.name());
    }

    /** The names and addresses of the node in the file of nodes and in its own report. */
    NodeIdentity identity() {
        return NodeIdentity.of(
                Stream.concat(Stream.of(address), hostName.stream()).toList());
    }

    /** Whether its daemon answered the daemon that made this report; the rest of an unanswered report is a guess. */
    public boolean answered() {
        boolean empty = version.isEmpty()
                && !connections.isEmpty()
                && connections.values().stream().allMatch(to -> to.is(ConnectionState.INVALID));
        return !state.is(DaemonState.UNAVAILABLE) && (state.state().isPresent() || !empty);
    }

    public boolean ready() {
        return state.is(DaemonState.READY);
    }
}
