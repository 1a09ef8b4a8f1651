package io.imexagent.imex.watch;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.imex.health.ConnectionState;
import io.imexagent.imex.health.DomainReport;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.NodeReport;
import io.imexagent.imex.health.PrintedState;
import io.imexagent.imex.probe.GpuFindings;
import io.imexagent.kubernetes.clique.AgentReport;
import io.imexagent.kubernetes.clique.NodeLinks;
import io.imexagent.kubernetes.clique.NodeLinks.LinkState;
import io.imexagent.kubernetes.clique.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Composes the status that users read in this node's NVLinkNode. */
public final class NodeStatusReader implements Supplier<NodeStatus> {

    private final Supplier<NodeInventory> inventory;
    private final Supplier<Optional<ImexHealth>> imex;
    private final Supplier<Optional<XidHistory>> xids;
    private final String version;
    private Optional<String> verdict = Optional.empty();
    private Optional<Instant> since = Optional.empty();

    /** This node's last known address, by which peers still report it when its own nvidia-imex does not answer. */
    private Optional<String> address = Optional.empty();

    /**
     * Creates a reader of the status from the inventory, nvidia-imex, which is empty before the first check, the Xids,
     * which are empty if no agent has listened, and this agent's version.
     */
    public NodeStatusReader(
            Supplier<NodeInventory> inventory,
            Supplier<Optional<ImexHealth>> imex,
            Supplier<Optional<XidHistory>> xids,
            String version) {
        this.inventory = inventory;
        this.imex = imex;
        this.xids = xids;
        this.version = version;
    }

    @Override
    public synchronized NodeStatus get() {
        NodeInventory node = inventory.get();
        Optional<ImexHealth> health = imex.get();
        Optional<String> now = health.map(reading -> reading.verdict().code());
        if (!now.equals(verdict)) {
            verdict = now;
            since = health.map(ImexHealth::at);
        }
        Optional<DomainReport> report =
                health.flatMap(reading -> reading.domain().report());
        Optional<NodeLinks> links = report.flatMap(NodeStatusReader::links);
        address = links.map(NodeLinks::address).or(() -> address);
        return new NodeStatus(
                node.clique() instanceof CliqueState.KnownClique present ? Optional.of(present.id()) : Optional.empty(),
                node.driver() instanceof DriverState.LoadedDriver loaded
                        ? Optional.of(loaded.driverVersion())
                        : Optional.empty(),
                GpuFindings.working(node.gpus()),
                verdict,
                since,
                report.flatMap(NodeStatusReader::local)
                        .filter(NodeReport::answered)
                        .map(NodeStatusReader::peers),
                links.or(() -> address.map(known -> NodeLinks.of(known, Map.of()))),
                Optional.empty(),
                health.map(ImexHealth::start).orElse(OptionalLong.empty()),
                health.flatMap(ImexHealth::nodesFile),
                Optional.of(AgentReport.of(
                        version,
                        node.gpus().size(),
                        node.gpus().stream().flatMap(gpu -> gpu.product().stream()),
                        node.findings(),
                        xids.get())));
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
            Map<LinkState, List<String>> others = report.nodes().stream()
                    .filter(node -> node.index() != here.index())
                    .collect(Collectors.groupingBy(
                            node -> report.connection(here.index(), node.index())
                                    .map(reported -> state(here, reported))
                                    .orElse(LinkState.UNKNOWN),
                            Collectors.mapping(NodeStatusReader::address, Collectors.toList())));
            return NodeLinks.of(address(here), others);
        });
    }

    /** The address in the nodes' configuration file, which is the same on all nodes of a clique. */
    private static String address(NodeReport node) {
        return node.address().isBlank() ? node.name() : node.address();
    }

    /** An unknown state counts as not connected; connections of a node that did not answer count as unknown. */
    private static LinkState state(NodeReport here, PrintedState<ConnectionState> reported) {
        return reported.state().map(state -> state(here, state)).orElse(LinkState.DEGRADED);
    }

    private static LinkState state(NodeReport here, ConnectionState state) {
        return switch (state) {
            case CONNECTED -> LinkState.CONNECTED;
            case AUTHENTICATING, VERSION_MISMATCH, NODE_MAP_MISMATCH, AUTHENTICATION_ERROR, BLOCKING_RECOVERY ->
                LinkState.DEGRADED;
            case NEVER_CONNECTED, RECOVERING, DISCONNECTED -> LinkState.LOST;
            case INVALID -> here.answered() ? LinkState.LOST : LinkState.UNKNOWN;
        };
    }
}
