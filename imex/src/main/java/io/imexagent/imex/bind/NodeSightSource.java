package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ConnectionState;
import io.imexagent.imex.health.DomainReport;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.NodeReport;
import io.imexagent.imex.health.Printed;
import io.imexagent.imex.probe.GpuFindings;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.State;
import io.imexagent.kubernetes.clique.NodeSight;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** What users read of this node in its object. */
public final class NodeSightSource implements Supplier<NodeSight> {

    private final Supplier<NodeInventory> inventory;
    private final Supplier<Optional<ImexHealth>> imex;
    private Optional<String> verdict = Optional.empty();
    private Optional<Instant> since = Optional.empty();

    /** Peers go on to name this node by it when its own nvidia-imex tells nothing any more. */
    private Optional<String> address = Optional.empty();

    /** The status of a node with this nvidia-imex, which is empty before the first reading. */
    public NodeSightSource(Supplier<NodeInventory> inventory, Supplier<Optional<ImexHealth>> imex) {
        this.inventory = inventory;
        this.imex = imex;
    }

    @Override
    public synchronized NodeSight get() {
        NodeInventory node = inventory.get();
        Optional<ImexHealth> health = imex.get();
        Optional<String> now = health.map(told -> told.verdict().code());
        if (!now.equals(verdict)) {
            verdict = now;
            since = health.map(ImexHealth::at);
        }
        Optional<DomainReport> report = health.flatMap(told -> told.domain().report());
        Optional<NodeLinks> links = report.flatMap(NodeSightSource::links);
        address = links.map(NodeLinks::address).or(() -> address);
        return new NodeSight(
                node.clique() instanceof CliqueState.Present present ? Optional.of(present.id()) : Optional.empty(),
                node.driver() instanceof DriverState.Loaded loaded
                        ? Optional.of(loaded.driverVersion())
                        : Optional.empty(),
                GpuFindings.working(node.gpus()),
                verdict,
                since,
                report.flatMap(NodeSightSource::local)
                        .filter(NodeReport::answered)
                        .map(NodeSightSource::peers),
                links.or(() -> address.map(known -> NodeLinks.of(known, Map.of()))));
    }

    private static Optional<NodeReport> local(DomainReport report) {
        return report.nodes().stream().filter(report::isLocal).findFirst();
    }

    private static String peers(NodeReport here) {
        var others = new TreeMap<>(here.connections());
        others.remove(here.index());
        long connected = others.values().stream()
                .filter(state -> state.is(ConnectionState.CONNECTED))
                .count();
        return connected + "/" + others.size();
    }

    private static Optional<NodeLinks> links(DomainReport report) {
        return local(report).map(here -> {
            Map<State, List<String>> others = report.nodes().stream()
                    .filter(node -> node.index() != here.index())
                    .collect(Collectors.groupingBy(
                            node -> report.connection(here.index(), node.index())
                                    .map(said -> state(here, said))
                                    .orElse(State.UNKNOWN),
                            Collectors.mapping(NodeSightSource::address, Collectors.toList())));
            return NodeLinks.of(address(here), others);
        });
    }

    /** As the file of the nodes has it, which is the same on all of a clique. */
    private static String address(NodeReport node) {
        return node.address().isBlank() ? node.name() : node.address();
    }

    /** An unknown state counts as not connected; connections of a node that did not answer count as unknown. */
    private static State state(NodeReport here, Printed<ConnectionState> said) {
        return said.state().map(state -> state(here, state)).orElse(State.DEGRADED);
    }

    private static State state(NodeReport here, ConnectionState state) {
        return switch (state) {
            case CONNECTED -> State.CONNECTED;
            case AUTHENTICATING, VERSION_MISMATCH, NODE_MAP_MISMATCH, AUTHENTICATION_ERROR, BLOCKING_RECOVERY ->
                State.DEGRADED;
            case NEVER_CONNECTED, RECOVERING, DISCONNECTED -> State.LOST;
            case INVALID -> here.answered() ? State.LOST : State.UNKNOWN;
        };
    }
}
