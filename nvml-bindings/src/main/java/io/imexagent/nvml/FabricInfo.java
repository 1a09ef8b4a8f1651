package io.imexagent.nvml;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A GPU's report on its NVLink fabric ({@code nvmlGpuFabricInfoV_t}): the state of its registration; the result, which
 * is valid only if the state is {@code COMPLETED}; the fabric, all zero if there is none; and the clique in it, 0 to
 * 2³² − 1. An answer of version 1 has no health bits, and none before version 3 has the driver's summary of them. The
 * typed cliques, at most 64 and sorted by type and number, are those of {@code nvmlGpuFabricInfo_v4_t}, which drivers
 * have from 615 on; the clique ID is the first of them that is a unicast pointer.
 */
public record FabricInfo(
        Numbered<FabricState> state,
        Numbered<NvmlReturn> status,
        UUID clusterUuid,
        long cliqueId,
        Optional<FabricHealth> health,
        Optional<Numbered<HealthSummary>> healthSummary,
        List<Clique> cliques) {
    public FabricInfo {
        cliques = List.copyOf(cliques);
        if (cliqueId != (cliqueId & 0xffff_ffffL)) {
            throw new IllegalArgumentException("a clique ID has 32 bits, got " + cliqueId);
        }
    }

    /** Returns this answer with these typed cliques. */
    public FabricInfo with(List<Clique> typed) {
        return new FabricInfo(state, status, clusterUuid, cliqueId, health, healthSummary, typed);
    }

    /** GPUs that reach each other by one kind of operation; the fabric manager assigns the number of 32 bits. */
    public record Clique(Numbered<CliqueType> type, long id) {}

    /** The kind of operation ({@code NVML_GPU_FABRIC_CLIQUE_TYPE_*}), by the numbers of CUDA's {@code CUcliqueType}. */
    public enum CliqueType implements Numbered.NvmlConstant {
        UNICAST_POINTER,
        MULTICAST_POINTER,
        UNICAST_LOGICAL_ENDPOINT,
        MULTICAST_LOGICAL_ENDPOINT
    }

    /** The driver's summary of a GPU's fabric health ({@code NVML_GPU_FABRIC_HEALTH_SUMMARY_*}). */
    public enum HealthSummary implements Numbered.NvmlConstant {
        NOT_SUPPORTED,
        HEALTHY,
        UNHEALTHY,
        LIMITED_CAPACITY
    }

    /** The state of a GPU's registration in its NVLink fabric ({@code nvmlGpuFabricState_t}). */
    public enum FabricState implements Numbered.NvmlConstant {
        NOT_SUPPORTED,
        /** The GPU has not begun to register with the fabric. */
        NOT_STARTED,
        /** The registration is under way; it may take minutes after a boot. */
        IN_PROGRESS,
        /** The registration ended; the status is its result. */
        COMPLETED
    }
}
