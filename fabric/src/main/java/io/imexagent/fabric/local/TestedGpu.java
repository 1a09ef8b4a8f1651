package io.imexagent.fabric.local;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A GPU that a local test is for, as NVML has it.
 *
 * @param title the GPU in a message, {@code GPU 2 (0018:06:00.0, GPU-6a7d…)}
 * @param freeBytes its free memory; empty where NVML does not have it
 * @param mig whether it is divided (MIG)
 * @param recoveryAction what would bring it back to health, where it needs that
 */
public record TestedGpu(
        String title, String uuid, OptionalLong freeBytes, boolean mig, Optional<String> recoveryAction) {

    /** Five children take some 4 MiB each, and two allocations are held at a time. */
    static final long LEAST_FREE = 64L << 20;

    /** A GPU of which nothing more is known. */
    public static TestedGpu of(String title, String uuid) {
        return new TestedGpu(title, uuid, OptionalLong.empty(), false, Optional.empty());
    }

    /** Why the GPU is not tried, as a clause; empty where it is. */
    public Optional<String> skipped() {
        if (mig) {
            return Optional.of("it is divided (MIG), and parts of a GPU export no fabric memory");
        }
        if (recoveryAction.isPresent()) {
            return Optional.of("the driver wants " + recoveryAction.get() + " for it first");
        }
        if (freeBytes.isPresent() && freeBytes.getAsLong() < LEAST_FREE) {
            return Optional.of((freeBytes.getAsLong() >> 20) + " MiB of its memory are free, and the test takes "
                    + (LEAST_FREE >> 20));
        }
        return Optional.empty();
    }
}
