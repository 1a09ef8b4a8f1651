package io.imexagent.imex.bind;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.query.ConnectionState;
import io.imexagent.imex.query.DomainReport;
import io.imexagent.kubernetes.clique.NodeSight;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

/** What users read of this node in its object. */
public final class NodeSightSource implements Supplier<NodeSight> {

    private final Supplier<NodeInventory> inventory;
    private final Supplier<Optional<ImexHealth>> imex;
    private Optional<String> verdict = Optional.empty();
    private Optional<Instant> since = Optional.empty();

    /** The sight of a node with this nvidia-imex, which is empty before the first look. */
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
        return report.nodes().stream().filter(report::isLocal).findFirst().map(here -> {
            var others = new TreeMap<>(here.connections());
            others.remove(here.index());
            long connected = others.values().stream()
                    .filter(state -> state.is(ConnectionState.CONNECTED))
                    .count();
            return connected + "/" + others.size();
        });
    }
}
