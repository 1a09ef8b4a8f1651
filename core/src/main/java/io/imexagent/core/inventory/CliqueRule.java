package io.imexagent.core.inventory;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** How the clique of a node follows from what its GPUs say. */
public final class CliqueRule {

    private CliqueRule() {}

    /**
     * The node's clique. A failed registration decides over one that is under way, and that over any clique: a node is
     * not in the fabric before all of its GPUs are. A GPU that does not answer decides only where no other GPU told.
     */
    public static CliqueState of(List<Gpu> gpus) {
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
            return new CliqueState.Failed(String.join("; ", failed));
        }
        if (!registering.isEmpty()) {
            return new CliqueState.Registering(String.join("; ", registering));
        }
        return switch (cliques.size()) {
            case 1 -> new CliqueState.Present(cliques.first());
            case 0 -> unknown.isEmpty() ? none(gpus, zero) : new CliqueState.Unknown(String.join("; ", unknown));
            default -> new CliqueState.Conflicting(cliques);
        };
    }

    private static CliqueState none(List<Gpu> gpus, boolean zero) {
        return new CliqueState.None(
                gpus.isEmpty()
                        ? "no GPU"
                        : zero ? "the cluster UUID of the GPUs is all zero" : "the GPUs have no NVLink fabric");
    }

    private static String detail(Gpu gpu, String what) {
        return "GPU " + gpu.index() + ": " + what;
    }
}
