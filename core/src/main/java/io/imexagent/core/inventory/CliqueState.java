package io.imexagent.core.inventory;

import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;

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

    /** The clique, or in one word why there is none to name. */
    default String text() {
        return switch (this) {
            case Present present -> present.id().text();
            case None none -> "none";
            case Registering registering -> "registering";
            case Failed failed -> "failed";
            case Conflicting conflicting -> "conflicting";
            case Unknown unknown -> "unknown";
        };
    }

    /** Why there is no clique to name, as a clause; empty where there is one. */
    default Optional<String> why() {
        return switch (this) {
            case Present present -> Optional.empty();
            case None none -> Optional.of(none.reason());
            case Registering registering -> Optional.of(registering.detail());
            case Failed failed -> Optional.of(failed.detail());
            case Conflicting conflicting ->
                Optional.of("the GPUs report the cliques "
                        + conflicting.ids().stream().map(CliqueId::text).collect(Collectors.joining(", ")));
            case Unknown unknown -> Optional.of(unknown.detail());
        };
    }
}
