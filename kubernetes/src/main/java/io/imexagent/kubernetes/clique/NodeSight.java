package io.imexagent.kubernetes.clique;

import io.imexagent.core.inventory.CliqueId;
import java.time.Instant;
import java.util.Optional;

/**
 * What the object of a node tells people of it. Nothing decides by it.
 *
 * @param clique the clique that the node is in, empty where it has none or does not know
 * @param driver the version of the NVIDIA driver, empty where it is not known
 * @param gpus how many GPUs the node has
 * @param imex the verdict on nvidia-imex in one word, empty where it is not watched
 * @param imexSince since when the verdict is that
 * @param peers how many nodes of the IMEX domain the node has a connection to, and of how many, {@code 17/18}; empty where
 *     it is not known
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
