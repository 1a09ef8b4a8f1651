package io.imexagent.nvml.simulated;

import io.imexagent.nvml.ClusterUuid;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealthSummary;
import io.imexagent.nvml.FabricState;
import io.imexagent.nvml.NvmlReturn;

/** What a simulated GPU says when it is asked for its fabric. */
public sealed interface SimulatedFabric {
    /** The call answers {@code NOT_SUPPORTED}. */
    record CallNotSupported() implements SimulatedFabric {}

    /**
     * The call answers; what the driver's form of the answer cannot carry is left out of it.
     *
     * @param state how far the registration got
     * @param status how the registration ended
     * @param clusterUuid the fabric
     * @param cliqueId the clique, 0 to 2³² − 1
     * @param health the health bits
     * @param healthSummary their sum
     */
    record Answering(
            FabricState state,
            NvmlReturn status,
            ClusterUuid clusterUuid,
            long cliqueId,
            FabricHealth health,
            FabricHealthSummary healthSummary)
            implements SimulatedFabric {}

    /** Returns the answer of a GPU that joined a fabric and is well. */
    static Answering healthy(ClusterUuid clusterUuid, long cliqueId) {
        return new Answering(
                FabricState.Known.COMPLETED,
                NvmlReturn.Known.SUCCESS,
                clusterUuid,
                cliqueId,
                new FabricHealth(0x1AA),
                FabricHealthSummary.Known.HEALTHY);
    }

    /** Returns the answer of a GPU that has joined no fabric (yet). */
    static Answering outside(FabricState state) {
        return new Answering(
                state,
                NvmlReturn.Known.SUCCESS,
                ClusterUuid.ZERO,
                0,
                new FabricHealth(0),
                FabricHealthSummary.Known.NOT_SUPPORTED);
    }
}
