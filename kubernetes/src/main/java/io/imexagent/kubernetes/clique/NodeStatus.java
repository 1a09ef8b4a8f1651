package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import java.time.Instant;
import java.util.Optional;

/**
 * For people: the verdict on nvidia-imex, since when, connected nodes, {@code 17/18}, and which they are; and what the
 * agent does with channels, empty where an older one does not say. Nothing decides by it.
 */
public record NodeStatus(
        Optional<CliqueId> clique,
        Optional<String> driver,
        int gpus,
        Optional<String> imex,
        Optional<Instant> imexSince,
        Optional<String> peers,
        Optional<NodeLinks> links,
        Optional<NodeMode> mode) {

    /** The status of a node whose agent does not report its mode. */
    public NodeStatus(
            Optional<CliqueId> clique,
            Optional<String> driver,
            int gpus,
            Optional<String> imex,
            Optional<Instant> imexSince,
            Optional<String> peers,
            Optional<NodeLinks> links) {
        this(clique, driver, gpus, imex, imexSince, peers, links, Optional.empty());
    }

    /** The same of an agent that says this mode, or none. */
    public NodeStatus in(Optional<NodeMode> mode) {
        return new NodeStatus(clique, driver, gpus, imex, imexSince, peers, links, mode);
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
