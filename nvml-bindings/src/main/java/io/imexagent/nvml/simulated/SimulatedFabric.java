package io.imexagent.nvml.simulated;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.Clique;
import io.imexagent.nvml.FabricInfo.CliqueType;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlReturn;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A simulated GPU's answers to the query for its fabric, with health bits and their summary. */
public final class SimulatedFabric {
    static final UUID CLUSTER = UUID.fromString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");

    static final long CLIQUE = 32766;
    static final UUID NO_CLUSTER = new UUID(0, 0);

    private static final int HEALTHY = 0x1AA;

    private SimulatedFabric() {}

    /** Returns the answer of a healthy GPU in a fabric. */
    public static FabricAnswer healthy(UUID clusterUuid, long cliqueId) {
        return registered(NvmlReturn.SUCCESS, clusterUuid, cliqueId, HEALTHY, HealthSummary.HEALTHY);
    }

    /** Returns the answer of a healthy GPU by driver 615: with the fabric manager's bits and typed cliques. */
    static FabricAnswer typed() {
        return new FabricAnswer.Reported(new FabricInfo(
                Numbered.of(FabricState.COMPLETED),
                Numbered.of(NvmlReturn.SUCCESS),
                CLUSTER,
                CLIQUE,
                Optional.of(new FabricHealth(0x4000 | HEALTHY)),
                Optional.of(Numbered.of(HealthSummary.HEALTHY)),
                List.of(
                        new Clique(Numbered.of(CliqueType.UNICAST_POINTER), CLIQUE),
                        new Clique(Numbered.of(CliqueType.MULTICAST_POINTER), 7),
                        new Clique(Numbered.of(CliqueType.UNICAST_LOGICAL_ENDPOINT), 8),
                        new Clique(Numbered.of(CliqueType.UNICAST_LOGICAL_ENDPOINT), 0xffff_ffffL),
                        new Clique(Numbered.of(9, CliqueType.values()), 10))));
    }

    /** Returns the answer of a GPU that is not in a fabric (yet). */
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
                Optional.of(Numbered.of(summary)),
                List.of()));
    }
}
