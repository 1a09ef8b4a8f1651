package io.imexagent.imex.probe;

import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.GpuHealth.FabricBit;
import io.imexagent.core.inventory.GpuHealth.Weight;
import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricHealth.IncorrectConfiguration;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlDevice;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlReturn;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A GPU's health out of what NVML answered. */
final class GpuHealthReading {

    private GpuHealthReading() {}

    /**
     * The health.
     *
     * @throws NvmlException where the GPU is lost; a field that it lacks, or cannot read at present, is left out
     */
    static GpuHealth of(FabricAnswer fabric, NvmlDevice device) throws NvmlException {
        Optional<FabricInfo> info =
                fabric instanceof FabricAnswer.Reported(FabricInfo reported) ? Optional.of(reported) : Optional.empty();
        return new GpuHealth(
                info.flatMap(FabricInfo::health).map(GpuHealthReading::bits).orElse(List.of()),
                info.flatMap(FabricInfo::healthSummary).map(summary -> summary.word("summary")),
                recoveryAction(device));
    }

    /** Every bit by its name (nvml.h, {@code NVML_GPU_FABRIC_HEALTH_MASK_*}). */
    private static List<FabricBit> bits(FabricHealth health) {
        return List.of(
                flag("degraded_bandwidth", health.degradedBandwidth(), Weight.DEGRADED),
                flag("route_recovery", health.routeRecovery(), Weight.DEGRADED),
                flag("route_unhealthy", health.routeUnhealthy(), Weight.BAD),
                flag("access_timeout_recovery", health.accessTimeoutRecovery(), Weight.DEGRADED),
                configuration(health.incorrectConfiguration()),
                // A fabric without partitions assigns none; that is no fault.
                flag("partition_assigned", health.partitionAssigned(), Weight.GOOD));
    }

    private static FabricBit flag(String name, FabricHealth.Flag flag, Weight whenSet) {
        boolean set = flag == FabricHealth.Flag.YES;
        return new FabricBit(name, flag.name().toLowerCase(Locale.ROOT), set ? whenSet : Weight.GOOD);
    }

    private static FabricBit configuration(Numbered<IncorrectConfiguration> fault) {
        boolean right = fault.is(IncorrectConfiguration.NONE) || fault.is(IncorrectConfiguration.NOT_SUPPORTED);
        return new FabricBit("incorrect_configuration", fault.word("fault"), right ? Weight.GOOD : Weight.BAD);
    }

    private static Optional<String> recoveryAction(NvmlDevice device) throws NvmlException {
        try {
            return device.recoveryAction().map(action -> action.word("action"));
        } catch (NvmlException.CallFailed failure) {
            if (failure.result().is(NvmlReturn.GPU_IS_LOST)) {
                throw failure;
            }
            return Optional.empty();
        }
    }
}
