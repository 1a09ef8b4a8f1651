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
 * A GPU of a {@link SimulatedTray}. It has the answer to the query for the fabric in its newest form, of which older
 * forms lack a part; the action that would recover it, empty if it reports none; and the calls that fail, with their
 * results.
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

    /** Returns this GPU with other failing calls, which replace the earlier ones. */
    public SimulatedGpu withFailures(Map<NvmlCall, NvmlReturn> changed) {
        return new SimulatedGpu(name, uuid, pciAddress, fabric, recoveryAction, changed);
    }

    /** Returns this GPU after it fell off the bus: every call on it answers {@code GPU_IS_LOST}. */
    public SimulatedGpu lost() {
        return withFailures(EnumSet.range(NvmlCall.DEVICE_HANDLE, NvmlCall.FIELD_VALUES).stream()
                .collect(Collectors.toMap(call -> call, _ -> NvmlReturn.GPU_IS_LOST)));
    }
}
