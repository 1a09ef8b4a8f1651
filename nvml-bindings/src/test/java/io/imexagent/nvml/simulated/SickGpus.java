package io.imexagent.nvml.simulated;

import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlReturn;
import java.util.Optional;

/** Simulated GPUs as no preset has them. */
public final class SickGpus {
    private SickGpus() {}

    /** The GPU in the fabric of a healthy tray, with these health bits. */
    public static SimulatedGpu withHealth(SimulatedGpu gpu, int mask) {
        return gpu.withFabric(SimulatedFabric.registered(
                NvmlReturn.SUCCESS, SimulatedFabric.CLUSTER, SimulatedFabric.CLIQUE, mask, HealthSummary.HEALTHY));
    }

    /** The GPU with another recovery action; empty for one that does not tell. */
    public static SimulatedGpu withRecoveryAction(SimulatedGpu gpu, Optional<Numbered<RecoveryAction>> action) {
        return new SimulatedGpu(gpu.name(), gpu.uuid(), gpu.pciAddress(), gpu.fabric(), action, gpu.failures());
    }
}
