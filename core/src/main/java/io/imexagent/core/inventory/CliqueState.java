package io.imexagent.core.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Where the node stands in the NVLink fabric. */
public sealed interface CliqueState {

    /**
     * All GPUs of the node that are in a clique are in this one. {@link #outside} names the GPUs that should be in a
     * clique and are not.
     */
    record KnownClique(CliqueId id) implements CliqueState {}

    /** There is no clique, and waiting does not help; the reason is a clause. */
    record NoClique(String reason) implements CliqueState {}

    /** A GPU, which the detail names, is still registering with the fabric; that can take minutes after boot. */
    record RegisteringClique(String detail) implements CliqueState {}

    /** A GPU could not register with the fabric; the detail names it and NVML's reason. */
    record FailedClique(String detail) implements CliqueState {}

    /** The GPUs of this node report different cliques. */
    record ConflictingClique(SortedSet<CliqueId> ids) implements CliqueState {}

    /** NVML gave no answer about the clique: a timeout, no driver yet, an error. */
    record UnknownClique(String detail) implements CliqueState {}

    /**
     * Derives the node's state from its GPUs. A failed registration takes precedence over a running one, and a running
     * one over any clique. A GPU without a clique, or with an unknown one, counts only if no GPU of the node has a
     * clique.
     */
    static CliqueState of(List<Gpu> gpus) {
        var failed = new TreeMap<String, List<Gpu>>();
        var registering = new TreeMap<String, List<Gpu>>();
        var unknown = new TreeMap<String, List<Gpu>>();
        var cliques = new TreeSet<CliqueId>();
        var zero = new ArrayList<Gpu>();
        for (Gpu gpu : gpus) {
            switch (gpu.fabric()) {
                case Gpu.GpuFabric.FabricFailed fault -> add(failed, fault.reason(), gpu);
                case Gpu.GpuFabric.FabricRegistering state -> add(registering, state.state(), gpu);
                case Gpu.GpuFabric.FabricUnknown fault -> add(unknown, fault.reason(), gpu);
                case Gpu.GpuFabric.FabricRegistered registered -> {
                    registered.clique().ifPresentOrElse(cliques::add, () -> zero.add(gpu));
                }
                case Gpu.GpuFabric.NoFabric none -> {}
            }
        }
        if (!failed.isEmpty()) {
            return new FailedClique(detail(failed));
        }
        if (!registering.isEmpty()) {
            return new RegisteringClique(detail(registering));
        }
        return switch (cliques.size()) {
            case 1 -> new KnownClique(cliques.first());
            case 0 -> unknown.isEmpty() ? none(gpus, zero) : new UnknownClique(detail(unknown));
            default -> new ConflictingClique(cliques);
        };
    }

    /**
     * The GPUs that are outside the fabric although others of the same product on the node are in a clique or failed to
     * register: they have no fabric, an all-zero cluster UUID, or no answer. A GPU of another product, such as a
     * graphics card, may have no fabric.
     */
    static List<Gpu> outside(List<Gpu> gpus) {
        List<Gpu> inClique = which(gpus, gpu -> gpu.clique().isPresent());
        List<Gpu> capable =
                which(gpus, gpu -> gpu.clique().isPresent() || gpu.fabric() instanceof Gpu.GpuFabric.FabricFailed);
        return gpus.stream()
                .filter(gpu -> switch (gpu.fabric()) {
                    case Gpu.GpuFabric.NoFabric _, Gpu.GpuFabric.FabricUnknown _ -> isOneOf(capable, gpu);
                    case Gpu.GpuFabric.FabricRegistered registered ->
                        registered.clique().isEmpty() && isOneOf(inClique, gpu);
                    case Gpu.GpuFabric.FabricRegistering _, Gpu.GpuFabric.FabricFailed _ -> false;
                })
                .toList();
    }

    private static List<Gpu> which(List<Gpu> gpus, Predicate<Gpu> which) {
        return gpus.stream().filter(which).toList();
    }

    /**
     * Whether the GPU may be of the same product as one of the others; a missing product name matches every product.
     */
    private static boolean isOneOf(List<Gpu> others, Gpu gpu) {
        Set<String> products =
                others.stream().flatMap(other -> other.product().stream()).collect(Collectors.toSet());
        return !others.isEmpty()
                && (products.isEmpty() || gpu.product().map(products::contains).orElse(true));
    }

    private static CliqueState none(List<Gpu> gpus, List<Gpu> zero) {
        if (gpus.isEmpty()) {
            return new NoClique("no GPU");
        }
        if (zero.isEmpty()) {
            return new NoClique("the GPUs have no NVLink fabric");
        }
        return new NoClique(
                zero.size() == gpus.size()
                        ? "the cluster UUID of the GPUs is all zero"
                        : "the cluster UUID is all zero at " + Gpu.titles(zero) + ", and the others have no fabric");
    }

    private static void add(SortedMap<String, List<Gpu>> by, String what, Gpu gpu) {
        by.computeIfAbsent(what, none -> new ArrayList<>()).add(gpu);
    }

    /** Lists GPUs with the same state together: {@code GPU 0 (…), GPU 1 (…): in_progress}. */
    private static String detail(SortedMap<String, List<Gpu>> by) {
        return by.entrySet().stream()
                .map(entry -> Gpu.titles(entry.getValue()) + ": " + entry.getKey())
                .collect(Collectors.joining("; "));
    }

    /** The clique, or one word for the reason why there is none. */
    default String text() {
        return switch (this) {
            case KnownClique present -> present.id().text();
            case NoClique none -> "none";
            case RegisteringClique registering -> "registering";
            case FailedClique failed -> "failed";
            case ConflictingClique conflicting -> "conflicting";
            case UnknownClique unknown -> "unknown";
        };
    }

    /** Why there is no clique, as a clause; empty if there is one. */
    default Optional<String> why() {
        return switch (this) {
            case KnownClique present -> Optional.empty();
            case NoClique none -> Optional.of(none.reason());
            case RegisteringClique registering -> Optional.of(registering.detail());
            case FailedClique failed -> Optional.of(failed.detail());
            case ConflictingClique conflicting ->
                Optional.of("the GPUs report the cliques "
                        + conflicting.ids().stream().map(CliqueId::text).collect(Collectors.joining(", ")));
            case UnknownClique unknown -> Optional.of(unknown.detail());
        };
    }
}
