package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * A node's status for people: the verdict on nvidia-imex and since when it holds; how many nodes are connected, {@code
 * 17/18}, and which they are; and the mode of the agent, empty if an older agent does not report it. No decision
 * depends on it.
 *
 * @param imexStart when the process of nvidia-imex started, in microseconds since the node's boot. Together with the
 *     boot it identifies a run of the daemon; empty while the daemon is not ready, and if systemd cannot be queried
 * @param nodesFile the file of nodes on the host; empty if the node does not need nvidia-imex, or an older agent does
 *     not report it
 * @param agent the agent's report about itself and the GPUs; empty if an older agent does not report it
 */
public record NodeStatus(
        Optional<CliqueId> clique,
        Optional<String> driver,
        int gpus,
        Optional<String> imex,
        Optional<Instant> imexSince,
        Optional<String> peers,
        Optional<NodeLinks> links,
        Optional<NodeMode> mode,
        OptionalLong imexStart,
        Optional<NodesFile> nodesFile,
        Optional<AgentReport> agent) {

    /** The names by which others may identify the node: {@code node} and its address in its IMEX domain. */
    public NodeIdentity identity(String node) {
        return NodeIdentity.of(Stream.concat(links.map(NodeLinks::address).stream(), Stream.of(node))
                .toList());
    }

    /** Returns a copy with this mode, or without one. */
    public NodeStatus in(Optional<NodeMode> mode) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, imexStart, nodesFile, agent);
    }

    /** Returns a copy with this start of nvidia-imex. */
    public NodeStatus since(OptionalLong start) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, start, nodesFile, agent);
    }

    /** Returns a copy with this file of nodes. */
    public NodeStatus with(Optional<NodesFile> file) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, imexStart, file, agent);
    }

    /** Returns a copy with this report of the agent. */
    public NodeStatus reporting(Optional<AgentReport> report) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, imexStart, nodesFile, report);
    }

    public static final NodeStatus NONE = new NodeStatus(
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            Optional.empty(),
            Optional.empty());
}
