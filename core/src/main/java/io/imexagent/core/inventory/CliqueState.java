package io.imexagent.core.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Where the node stands in the NVLink fabric. */
public sealed interface CliqueState {

    /** All fabric-capable GPUs of the node report this clique. */
    record Present(CliqueId id) implements CliqueState {}

    /** There is no clique, for a reason that is a clause, and waiting does not help. */
    record None(String reason) implements CliqueState {}

    /** A GPU, named in the detail, is registering with the fabric; this can take minutes after boot. */
    record Registering(String detail) implements CliqueState {}

    /** A GPU could not register with the fabric; the detail names it and NVML's reason. */
    record Failed(String detail) implements CliqueState {}

    /** The GPUs of this node report different cliques. */
    record Conflicting(SortedSet<CliqueId> ids) implements CliqueState {}

    /** NVML did not tell: no answer in time, no driver yet, an error. */
    record Unknown(String detail) implements CliqueState {}

    /**
     * What follows for the node from its GPUs: a failed registration beats one that is under way, and that any clique; a
     * GPU that does not answer decides only where no other GPU told.
     */
    static CliqueState of(List<Gpu> gpus) {
        var failed = new ArrayList<String>();
        var registering = new ArrayList<String>();
        var unknown = new ArrayList<String>();
        var cliques = new TreeSet<CliqueId>();
        boolean zero = false;
        for (Gpu gpu : gpus) {
            switch (gpu.fabric()) {
                case Gpu.Fabric.Failed fault -> failed.add(detail(gpu, fault.reason()));
                case Gpu.Fabric.Registering state -> registering.add(detail(gpu, state.state()));
                case Gpu.Fabric.Unknown fault -> unknown.add(detail(gpu, fault.reason()));
                case Gpu.Fabric.Registered registered -> {
                    registered.clique().ifPresent(cliques::add);
                    zero |= registered.clique().isEmpty();
                }
                case Gpu.Fabric.NotSupported none -> {}
            }
        }
        if (!failed.isEmpty()) {
            return new Failed(String.join("; ", failed));
        }
        if (!registering.isEmpty()) {
            return new Registering(String.join("; ", registering));
        }
        return switch (cliques.size()) {
            case 1 -> new Present(cliques.first());
            case 0 -> unknown.isEmpty() ? none(gpus, zero) : new Unknown(String.join("; ", unknown));
            default -> new Conflicting(cliques);
        };
    }

    private static CliqueState none(List<Gpu> gpus, boolean zero) {
        return new None(
                gpus.isEmpty()
                        ? "no GPU"
                        : zero ? "the cluster UUID of the GPUs is all zero" : "the GPUs have no NVLink fabric");
    }

    private static String detail(Gpu gpu, String what) {
        return "GPU " + gpu.index() + ": " + what;
    }

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
