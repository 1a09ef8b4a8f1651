package io.imexagent.imex.probe;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory.Cause;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The Xids that still count. One counts from when its GPU reports it until a later reading says that the GPU needs no
 * recovery, or the driver was unloaded; a GPU that cannot say is trusted again only with a new driver or agent.
 */
final class XidBook {

    /**
     * Xids that a program on the GPU causes and that leave the GPU as it was: 13 and 31 are its faulty accesses, 43 and
     * 45 its end, 68 a video decoder's, 109 a context switch. The list is that of NVIDIA's device plugin.
     */
    private static final Set<Long> OF_PROGRAMS = Set.of(13L, 31L, 43L, 45L, 68L, 109L);

    private final SortedMap<Integer, Xid> standing = new TreeMap<>();

    /** Whose doing an Xid is; one of a program says nothing of the GPU. */
    static Cause cause(long number) {
        return OF_PROGRAMS.contains(number) ? Cause.PROGRAM : Cause.GPU;
    }

    /** Takes an Xid in; says whether that changes what counts. One whose GPU was not named counts for no other. */
    synchronized boolean report(OptionalInt gpu, long number, Instant at) {
        if (gpu.isEmpty() || cause(number) == Cause.PROGRAM) {
            return false;
        }
        Xid before = standing.put(gpu.getAsInt(), new Xid(number, at));
        return before == null || before.number() != number;
    }

    /** Takes a reading of the node in; says whether that changes what counts. */
    synchronized boolean read(NodeInventory inventory) {
        if (inventory.driver() instanceof DriverState.Absent) {
            boolean had = !standing.isEmpty();
            standing.clear();
            return had;
        }
        boolean changed = false;
        for (Gpu gpu : inventory.gpus()) {
            Xid xid = standing.get(gpu.index());
            boolean recovered = gpu.health()
                    .recoveryAction()
                    .filter(GpuHealth.NO_ACTION::equals)
                    .isPresent();
            if (xid != null && recovered && inventory.takenAt().isAfter(xid.at())) {
                standing.remove(gpu.index());
                changed = true;
            }
        }
        return changed;
    }

    synchronized Optional<String> complaint() {
        return standing.entrySet().stream()
                .findFirst()
                .map(first -> "GPU " + first.getKey() + " reported Xid "
                        + first.getValue().number() + " at " + first.getValue().at()
                        + "; look at the kernel log for NVRM messages, then drain the node and recover the GPU");
    }

    private record Xid(long number, Instant at) {}
}
