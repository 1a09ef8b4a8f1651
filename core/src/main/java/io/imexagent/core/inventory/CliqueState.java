package io.imexagent.core.inventory;

import java.util.SortedSet;

/** Where the node stands in the NVLink fabric. */
public sealed interface CliqueState {

    /**
     * All fabric-capable GPUs of the node report this clique.
     *
     * @param id the clique
     */
    record Present(CliqueId id) implements CliqueState {}

    /**
     * The node has no clique: no GPU, GPUs without a fabric, or a cluster UUID of zeros. Waiting does not help.
     *
     * @param reason why, as a clause
     */
    record None(String reason) implements CliqueState {}

    /**
     * A GPU has not finished its registration with the fabric; this can take minutes after boot.
     *
     * @param detail which GPU and its state
     */
    record Registering(String detail) implements CliqueState {}

    /**
     * A GPU could not register with the fabric.
     *
     * @param detail which GPU and NVML's reason
     */
    record Failed(String detail) implements CliqueState {}

    /**
     * The GPUs of this node report different cliques.
     *
     * @param ids the cliques
     */
    record Conflicting(SortedSet<CliqueId> ids) implements CliqueState {}

    /**
     * NVML did not tell: no answer in time, no driver yet, an error.
     *
     * @param detail why
     */
    record Unknown(String detail) implements CliqueState {}
}
