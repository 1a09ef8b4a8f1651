package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlReturn;
import java.util.Map;
import java.util.Optional;

/**
 * A GPU of a {@link SimulatedTray}, with the answer to the question for the fabric in its newest form, of which older
 * ones lack a part; what would recover it, empty for one that does not tell; and calls that fail, and how.
 */
public record SimulatedGpu(
        String name,
        String uuid,
        String pciAddress,
        FabricAnswer fabric,
        Optional<Numbered<RecoveryAction>> recoveryAction,
        Map<NvmlCall, NvmlReturn> failures) {
    public SimulatedGpu {
        failures = Map.copyOf(failures);
    }

    /** Returns this GPU with another answer to the question for its fabric. */
    public SimulatedGpu withFabric(FabricAnswer changed) {
        return new SimulatedGpu(name, uuid, pciAddress, changed, recoveryAction, failures);
    }

    /** Returns this GPU with another recovery action; empty for one that does not tell. */
    public SimulatedGpu withRecoveryAction(Optional<Numbered<RecoveryAction>> changed) {
        return new SimulatedGpu(name, uuid, pciAddress, fabric, changed, failures);
    }

    /** Returns this GPU with other failing calls; those of before do not fail any more. */
    public SimulatedGpu withFailures(Map<NvmlCall, NvmlReturn> changed) {
        return new SimulatedGpu(name, uuid, pciAddress, fabric, recoveryAction, changed);
    }

    /** Returns this GPU as a driver shows it once it fell off the bus: every call on it answers {@code GPU_IS_LOST}. */
    public SimulatedGpu lost() {
        NvmlReturn lost = NvmlReturn.GPU_IS_LOST;
        return withFailures(Map.of(
                NvmlCall.DEVICE_HANDLE, lost,
                NvmlCall.NAME, lost,
                NvmlCall.UUID, lost,
                NvmlCall.PCI_INFO, lost,
                NvmlCall.FABRIC_INFO_V, lost,
                NvmlCall.FABRIC_INFO, lost,
                NvmlCall.FIELD_VALUES, lost));
    }
}
