package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import java.time.Instant;
import java.util.Optional;

/**
 * For people: the verdict on nvidia-imex, since when, connected nodes, {@code 17/18}, and which they are. Nothing decides
 * by it.
 */
public record NodeSight(
        Optional<CliqueId> clique,
        Optional<String> driver,
        int gpus,
        Optional<String> imex,
        Optional<Instant> imexSince,
        Optional<String> peers,
        Optional<NodeLinks> links) {

    public static final NodeSight NONE = new NodeSight(
            Optional.empty(),
            Optional.empty(),
            0,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());
}
