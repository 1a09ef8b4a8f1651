package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Architecture;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.RecoveryAction;
import java.util.Map;
import java.util.Optional;

/**
 * A GPU of a {@link SimulatedTray}.
 *
 * @param name the product name
 * @param uuid the identifier
 * @param pci the place on the PCI bus
 * @param minorNumber N of {@code /dev/nvidiaN}
 * @param architecture the generation; empty for a driver that does not know it
 * @param fabric the answer to the question for the fabric
 * @param platform the place in the rack; empty for a GPU that does not tell
 * @param recoveryAction what would recover the GPU; empty for a GPU that does not tell
 * @param failures calls on this GPU that fail, and how
 */
public record SimulatedGpu(
        String name,
        String uuid,
        PciInfo pci,
        int minorNumber,
        Optional<Architecture> architecture,
        SimulatedFabric fabric,
        Optional<PlatformInfo> platform,
        Optional<RecoveryAction> recoveryAction,
        Map<NvmlCall, NvmlReturn> failures) {
    /** Copies the failures in. */
    public SimulatedGpu {
        failures = Map.copyOf(failures);
    }

    /** Returns this GPU with another answer to the question for its fabric. */
    public SimulatedGpu withFabric(SimulatedFabric changed) {
        return new SimulatedGpu(
                name, uuid, pci, minorNumber, architecture, changed, platform, recoveryAction, failures);
    }

    /** Returns this GPU with another recovery action. */
    public SimulatedGpu withRecoveryAction(RecoveryAction changed) {
        return new SimulatedGpu(
                name, uuid, pci, minorNumber, architecture, fabric, platform, Optional.of(changed), failures);
    }

    /** Returns this GPU with other failing calls; those of before do not fail any more. */
    public SimulatedGpu withFailures(Map<NvmlCall, NvmlReturn> changed) {
        return new SimulatedGpu(name, uuid, pci, minorNumber, architecture, fabric, platform, recoveryAction, changed);
    }

    /** Returns this GPU as a driver shows it once it fell off the bus: every call on it answers {@code GPU_IS_LOST}. */
    public SimulatedGpu lost() {
        NvmlReturn lost = NvmlReturn.Known.GPU_IS_LOST;
        return withFailures(Map.of(
                NvmlCall.DEVICE_HANDLE, lost,
                NvmlCall.NAME, lost,
                NvmlCall.UUID, lost,
                NvmlCall.PCI_INFO, lost,
                NvmlCall.MINOR_NUMBER, lost,
                NvmlCall.ARCHITECTURE, lost,
                NvmlCall.FABRIC_INFO_V, lost,
                NvmlCall.FABRIC_INFO, lost,
                NvmlCall.PLATFORM_INFO, lost,
                NvmlCall.FIELD_VALUES, lost));
    }
}
