package io.imexagent.imex.watch;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.NodeInventory;
import java.util.List;
import java.util.Optional;

/**
 * What the inventory says of the health of the node's channels. They share driver, major, fabric and GPUs, so they are
 * all alike: unhealthy with the first finding that keeps devices from being served and with a GPU that is broken or asks
 * to be recovered, unknown while the fabric is registering or NVML has not told, degraded with a GPU that has less than
 * it could.
 */
public final class InventoryHealth {

    private InventoryHealth() {}

    /** The health of every channel of the node. */
    public static Health of(NodeInventory inventory) {
        Optional<Finding> fault = inventory.findings().stream()
                .filter(finding -> finding.severity() == Finding.Severity.ERROR)
                .findFirst();
        if (fault.isPresent()) {
            return new Health.Unhealthy(fault.get().message());
        }
        return ofClique(inventory.clique()).and(ofGpus(inventory.gpus()));
    }

    private static Health ofGpus(List<Gpu> gpus) {
        Health health = new Health.Healthy();
        for (Gpu gpu : gpus) {
            health = health.and(ofGpu(gpu));
        }
        return health;
    }

    private static Health ofGpu(Gpu gpu) {
        String complaints =
                "GPU " + gpu.index() + ": " + String.join(", ", gpu.health().complaints());
        return switch (gpu.health().weight()) {
            case GOOD -> new Health.Healthy();
            case DEGRADED -> new Health.Degraded(complaints);
            case BAD -> new Health.Unhealthy(complaints);
        };
    }

    private static Health ofClique(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Unknown unknown ->
                new Health.Unknown("the NVLink clique cannot be told: " + unknown.detail());
            case CliqueState.Registering registering ->
                new Health.Unknown("the fabric is still registering: " + registering.detail());
            case CliqueState.Present _, CliqueState.None _ -> new Health.Healthy();
            case CliqueState.Failed failed -> new Health.Unhealthy("registration with the fabric failed");
            case CliqueState.Conflicting conflicting ->
                new Health.Unhealthy("the GPUs of this node report different cliques");
        };
    }
}
