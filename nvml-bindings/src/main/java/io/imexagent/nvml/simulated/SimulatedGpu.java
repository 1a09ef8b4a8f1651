package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlReturn;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

    public SimulatedGpu withFabric(FabricAnswer changed) {
        return new SimulatedGpu(name, uuid, pciAddress, changed, recoveryAction, failures);
    }

    /** Returns this GPU with other failing calls; those of before do not fail any more. */
    public SimulatedGpu withFailures(Map<NvmlCall, NvmlReturn> changed) {
        return new SimulatedGpu(name, uuid, pciAddress, fabric, recoveryAction, changed);
    }

    /** Returns this GPU as a driver shows it once it fell off the bus: every call on it answers {@code GPU_IS_LOST}. */
    public SimulatedGpu lost() {
        return withFailures(EnumSet.range(NvmlCall.DEVICE_HANDLE, NvmlCall.FIELD_VALUES).stream()
                .collect(Collectors.toMap(call -> call, _ -> NvmlReturn.GPU_IS_LOST)));
    }
}
