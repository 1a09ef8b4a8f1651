package io.imexagent.nvml.simulated;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlReturn;
import java.util.Optional;
import java.util.UUID;

/** What a simulated GPU says when it is asked for its fabric, with health bits and their sum. */
public final class SimulatedFabric {
    static final UUID CLUSTER = UUID.fromString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");

    static final long CLIQUE = 32766;
    static final UUID NO_CLUSTER = new UUID(0, 0);

    private static final int HEALTHY = 0x1AA;

    private SimulatedFabric() {}

    /** Returns the answer of a GPU that joined a fabric and is well. */
    public static FabricAnswer healthy(UUID clusterUuid, long cliqueId) {
        return registered(NvmlReturn.SUCCESS, clusterUuid, cliqueId, HEALTHY, HealthSummary.HEALTHY);
    }

    /** Returns the answer of a GPU that has joined no fabric (yet). */
    public static FabricAnswer outside(Numbered<FabricState> state) {
        return reported(state, NvmlReturn.SUCCESS, NO_CLUSTER, 0, 0, HealthSummary.NOT_SUPPORTED);
    }

    static FabricAnswer registered(
            NvmlReturn status, UUID clusterUuid, long cliqueId, int health, HealthSummary summary) {
        return reported(Numbered.of(FabricState.COMPLETED), status, clusterUuid, cliqueId, health, summary);
    }

    private static FabricAnswer reported(
            Numbered<FabricState> state,
            NvmlReturn status,
            UUID clusterUuid,
            long cliqueId,
            int health,
            HealthSummary summary) {
        return new FabricAnswer.Reported(new FabricInfo(
                state,
                Numbered.of(status),
                clusterUuid,
                cliqueId,
                Optional.of(new FabricHealth(health)),
                Optional.of(Numbered.of(summary))));
    }
}
