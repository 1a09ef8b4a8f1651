package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodesFile;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * For people: the verdict on nvidia-imex, since when, connected nodes, {@code 17/18}, and which they are; and what the
 * agent does with channels, empty where an older one does not say. Nothing decides by it.
 *
 * @param imexStart when the process of nvidia-imex started, in microseconds since the node's boot, so that with the boot it
 *     names one run of the daemon; empty while it is not ready, and where systemd cannot be queried
 * @param nodesFile the file of nodes on the host; empty where nvidia-imex has nothing to do there, and where an older agent
 *     does not say
 * @param agent what the agent reports of itself and of the GPUs; empty where an older one does not
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

    /** The status of a node whose agent is of an older version, and reports nothing of the rest. */
    public NodeStatus(
            Optional<CliqueId> clique,
            Optional<String> driver,
            int gpus,
            Optional<String> imex,
            Optional<Instant> imexSince,
            Optional<String> peers,
            Optional<NodeLinks> links) {
        this(
                clique,
                driver,
                gpus,
                imex,
                imexSince,
                peers,
                links,
                Optional.empty(),
                OptionalLong.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** What others may call the node of this name: by its address in its IMEX domain, too. */
    public NodeIdentity identity(String node) {
        return NodeIdentity.of(Stream.concat(links.map(NodeLinks::address).stream(), Stream.of(node))
                .toList());
    }

    /** The same of an agent that says this mode, or none. */
    public NodeStatus in(Optional<NodeMode> mode) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, imexStart, nodesFile, agent);
    }

    /** The same of a node whose nvidia-imex started then. */
    public NodeStatus since(OptionalLong start) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, start, nodesFile, agent);
    }

    /** The same of a node with this file of nodes. */
    public NodeStatus with(Optional<NodesFile> file) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode, imexStart, file, agent);
    }

    /** The same of a node whose agent reports this of itself and of the GPUs. */
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
            Optional.empty());
}
