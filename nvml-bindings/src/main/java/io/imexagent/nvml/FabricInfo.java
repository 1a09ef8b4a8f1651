package io.imexagent.nvml;

import java.util.Optional;
import java.util.UUID;

/**
 * What a GPU knows of its NVLink fabric ({@code nvmlGpuFabricInfoV_t}): how far the registration got, how it ended, which
 * means something only when the state is {@code COMPLETED}, the fabric, all zero when there is none, and the clique inside
 * it, 0 to 2³² − 1. An answer of version 1 has no health bits, and none before version 3 the driver's sum of them.
 */
public record FabricInfo(
        Numbered<FabricState> state,
        Numbered<NvmlReturn> status,
        UUID clusterUuid,
        long cliqueId,
        Optional<FabricHealth> health,
        Optional<Numbered<HealthSummary>> healthSummary) {
    public FabricInfo {
        if (cliqueId != (cliqueId & 0xffff_ffffL)) {
            throw new IllegalArgumentException("a clique ID has 32 bits, got " + cliqueId);
        }
    }

    /** The driver's sum of a GPU's fabric health ({@code NVML_GPU_FABRIC_HEALTH_SUMMARY_*}). */
    public enum HealthSummary implements Numbered.Name {
        NOT_SUPPORTED,
        HEALTHY,
        UNHEALTHY,
        LIMITED_CAPACITY
    }

    /** How far a GPU got with joining its NVLink fabric ({@code nvmlGpuFabricState_t}). */
    public enum FabricState implements Numbered.Name {
        NOT_SUPPORTED,
        /** The GPU has not begun to register with the fabric. */
        NOT_STARTED,
        /** The registration is under way; it may take minutes after a boot. */
        IN_PROGRESS,
        /** The registration ended; the status says how. */
        COMPLETED
    }
}
