package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.report.ConnectionState;
import io.imexagent.imex.report.DomainReport;
import io.imexagent.kubernetes.clique.NodeSight;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** What people are told of this node in its object. */
public final class NodeSightSource implements Supplier<NodeSight> {

    private final Supplier<NodeInventory> inventory;
    private final Supplier<Optional<ImexHealth>> imex;
    private Optional<String> verdict = Optional.empty();
    private Optional<Instant> since = Optional.empty();

    /**
     * The sight of a node.
     *
     * @param imex how nvidia-imex is, empty where nobody looked
     */
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
        return new NodeSight(
                node.clique() instanceof CliqueState.Present present ? Optional.of(present.id()) : Optional.empty(),
                node.driver() instanceof DriverState.Loaded loaded
                        ? Optional.of(loaded.driverVersion())
                        : Optional.empty(),
                node.gpus().size(),
                verdict,
                since,
                health.flatMap(ImexHealth::report).flatMap(NodeSightSource::peers));
    }

    private static Optional<String> peers(DomainReport report) {
        return report.local().stream()
                .boxed()
                .flatMap(local -> report.node(local).stream().map(node -> peers(local, node.connections())))
                .findFirst();
    }

    private static String peers(int local, Map<Integer, ConnectionState> connections) {
        long connected = connections.entrySet().stream()
                .filter(to -> to.getKey() != local && to.getValue().connected())
                .count();
        long others = connections.keySet().stream().filter(to -> to != local).count();
        return connected + "/" + others;
    }
}
