package io.imexagent.agent.health;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.NodeInventory;
import java.util.Optional;

/**
 * What the inventory says of the health of the node's channels. They share driver, major and fabric, so they are all
 * alike: unhealthy with the first finding that keeps devices from being served, unknown while the fabric is registering
 * or NVML has not told.
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
        return switch (inventory.clique()) {
            case CliqueState.Unknown unknown ->
                new Health.Unknown("the NVLink clique cannot be told: " + unknown.detail());
            case CliqueState.Registering registering ->
                new Health.Unknown("the fabric is still registering: " + registering.detail());
            case CliqueState.Present present -> new Health.Healthy();
            case CliqueState.None none -> new Health.Healthy();
            case CliqueState.Failed failed -> new Health.Unhealthy("registration with the fabric failed");
            case CliqueState.Conflicting conflicting ->
                new Health.Unhealthy("the GPUs of this node report different cliques");
        };
    }
}
