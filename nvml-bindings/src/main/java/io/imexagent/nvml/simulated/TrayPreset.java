package io.imexagent.nvml.simulated;

import static io.imexagent.nvml.simulated.SimulatedFabric.healthy;
import static io.imexagent.nvml.simulated.SimulatedFabric.outside;

import io.imexagent.nvml.FabricAnswer;
import io.imexagent.nvml.FabricHealthSummary;
import io.imexagent.nvml.FabricState;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A host that is worth simulating, with a name for command lines ({@code gb200}, {@code fabric-in-progress}). */
public enum TrayPreset {
    /** A healthy GB200 compute tray: four GPUs in one clique. */
    GB200,
    /** A healthy GB300 compute tray. */
    GB300,
    /** A host with the driver and no GPU. */
    NO_GPU,
    /** B200 GPUs, which know of the fabric but have none. */
    NO_FABRIC,
    /** B200 GPUs that refuse the question for the fabric. */
    FABRIC_CALL_NOT_SUPPORTED,
    /** GPUs that completed the registration and hold an all-zero cluster UUID: NVLink inside of one host only. */
    ZERO_UUID,
    /** GPUs that have not begun to register with the fabric. */
    FABRIC_NOT_STARTED,
    /** GPUs that are registering, as in the first minutes after a boot. */
    FABRIC_IN_PROGRESS,
    /** GPUs whose registration ended with an error. */
    REGISTRATION_FAILED,
    /** Two GPUs in one clique and two in another, which no correct fabric has on one host. */
    TWO_CLIQUES,
    /** Kernel driver and library of different versions, as between an update and the reboot. */
    VERSION_MISMATCH,
    /** The library without the kernel driver. */
    DRIVER_NOT_LOADED,
    /** A tray whose third GPU fell off the bus. */
    GPU_LOST,
    /** A driver that knows the struct of the fabric up to version 2. */
    FABRIC_V2_ONLY,
    /** A driver that has the versioned call and refuses all versions of its struct. */
    FABRIC_V1_ONLY,
    /** A driver from before the versioned call. */
    WITHOUT_FABRIC_V,
    /** A driver from before any call for the fabric. */
    WITHOUT_FABRIC_CALLS,
    /** A driver that hangs when it is asked for the fabric. */
    HANGING;

    /** Returns the preset with a {@link #label()}; empty when there is none. */
    public static Optional<TrayPreset> named(String label) {
        return Arrays.stream(values())
                .filter(preset -> preset.label().equals(label))
                .findFirst();
    }

    /** Returns the name for command lines and files, lower case with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the description. */
    public SimulatedTray tray() {
        return switch (this) {
            case GB200 -> Trays.gb200();
            case GB300 -> Trays.gb300();
            case NO_GPU -> Trays.gb200().withGpus(List.of());
            case NO_FABRIC -> every(Trays.b200(), outside(Numbered.of(FabricState.NOT_SUPPORTED)));
            case FABRIC_CALL_NOT_SUPPORTED -> every(Trays.b200(), new FabricAnswer.NotSupported());
            case ZERO_UUID -> every(Trays.gb200(), healthy(SimulatedFabric.NO_CLUSTER, 0));
            case FABRIC_NOT_STARTED -> every(Trays.gb200(), outside(Numbered.of(FabricState.NOT_STARTED)));
            case FABRIC_IN_PROGRESS -> every(Trays.gb200(), outside(Numbered.of(FabricState.IN_PROGRESS)));
            case REGISTRATION_FAILED -> every(Trays.gb200(), failedRegistration());
            case TWO_CLIQUES ->
                Trays.gb200()
                        .withGpu(2, gpu -> gpu.withFabric(healthy(Trays.CLUSTER, Trays.CLIQUE - 1)))
                        .withGpu(3, gpu -> gpu.withFabric(healthy(Trays.CLUSTER, Trays.CLIQUE - 1)));
            case VERSION_MISMATCH -> Trays.gb200().withFailure(NvmlCall.INIT, NvmlReturn.LIB_RM_VERSION_MISMATCH);
            case DRIVER_NOT_LOADED -> Trays.gb200().withFailure(NvmlCall.INIT, NvmlReturn.DRIVER_NOT_LOADED);
            case GPU_LOST -> Trays.gb200().withGpu(2, SimulatedGpu::lost);
            case FABRIC_V2_ONLY -> Trays.gb200().withFabricVersion(2);
            case FABRIC_V1_ONLY -> Trays.gb200().withFabricVersion(1);
            case WITHOUT_FABRIC_V ->
                without(Trays.gb200().withVersions("535.54.03", "12.535.54.03"), NvmlCall.FABRIC_INFO_V);
            case WITHOUT_FABRIC_CALLS ->
                without(
                        without(Trays.gb200().withVersions("470.57.02", "11.470.57.02"), NvmlCall.FABRIC_INFO_V),
                        NvmlCall.FABRIC_INFO);
            case HANGING -> Trays.gb200().withHanging(NvmlCall.FABRIC_INFO_V);
        };
    }

    private static SimulatedTray every(SimulatedTray tray, FabricAnswer fabric) {
        return tray.withEveryGpu(gpu -> gpu.withFabric(fabric));
    }

    private static SimulatedTray without(SimulatedTray tray, NvmlCall call) {
        return tray.withFailure(call, NvmlReturn.FUNCTION_NOT_FOUND);
    }

    private static FabricAnswer failedRegistration() {
        // The chassis serial number is wrong, everything else as it should be.
        return SimulatedFabric.registered(
                NvmlReturn.UNKNOWN, SimulatedFabric.NO_CLUSTER, 0, 0x3AA, FabricHealthSummary.UNHEALTHY);
    }
}
