package io.imexagent.fabric.local;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A GPU of a local test, with its properties from NVML.
 *
 * @param title the GPU's name in messages, {@code GPU 2 (0018:06:00.0, GPU-6a7d…)}
 * @param freeBytes its free memory; empty if NVML does not report it
 * @param mig whether it is divided by MIG
 * @param recoveryAction the action that the driver requires to recover the GPU, if any
 */
public record TestedGpu(
        String title, String uuid, OptionalLong freeBytes, boolean mig, Optional<String> recoveryAction) {

    /** The least free memory in bytes: five children take about 4 MiB each, and two allocations exist at a time. */
    static final long LEAST_FREE = 64L << 20;

    /** A GPU without known properties. */
    public static TestedGpu of(String title, String uuid) {
        return new TestedGpu(title, uuid, OptionalLong.empty(), false, Optional.empty());
    }

    /** Returns why the GPU is not tried, as a clause; empty if it is tried. */
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
