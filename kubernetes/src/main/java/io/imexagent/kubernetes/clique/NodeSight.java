package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import java.time.Instant;
import java.util.Optional;

/**
 * What the object of a node tells people of it: the verdict on nvidia-imex in one word, since when, and to how many
 * nodes of the IMEX domain there is a connection, {@code 17/18}. Nothing decides by it; what is not known is empty.
 */
public record NodeSight(
        Optional<CliqueId> clique,
        Optional<String> driver,
        int gpus,
        Optional<String> imex,
        Optional<Instant> imexSince,
        Optional<String> peers) {

    /** Nothing is known of the node. */
    public static final NodeSight NONE =
            new NodeSight(Optional.empty(), Optional.empty(), 0, Optional.empty(), Optional.empty(), Optional.empty());
}
