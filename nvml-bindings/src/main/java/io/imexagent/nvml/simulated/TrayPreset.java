package io.imexagent.nvml.simulated;

import static io.imexagent.nvml.simulated.SimulatedFabric.healthy;
import static io.imexagent.nvml.simulated.SimulatedFabric.outside;

import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlDevice.RecoveryAction;
import io.imexagent.nvml.NvmlReturn;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A common simulated host, with a name for command lines ({@code gb200}, {@code fabric-in-progress}). */
public enum TrayPreset {
    /** A healthy GB200 compute tray: four GPUs in one clique. */
    GB200(TrayPreset::gb200),
    GB300(() -> tray("NVIDIA GB300", 0x31c2)),
    /** A tray of Vera Rubin, with a driver that does not know the product's name. */
    VR200(() -> tray("NVIDIA Graphics Device", 0x3041)),
    /** Eight H200 behind the NVSwitches of one host, whose registration is complete: their cluster UUID is all zero. */
    HGX_H200(() -> hgx("NVIDIA H200", 0x2335)),
    /** Eight B200 like {@link #HGX_H200}. */
    HGX_B200(() -> hgx("NVIDIA B200", 0x2901)),
    NO_GPU(() -> gb200().withGpus(List.of())),
    /** B200 GPUs, which support the query for the fabric but have none. */
    NO_FABRIC(() -> every(b200(), outside(Numbered.of(FabricState.NOT_SUPPORTED)))),
    /** B200 GPUs that refuse the query for the fabric. */
    FABRIC_CALL_NOT_SUPPORTED(() -> every(b200(), new FabricAnswer.NotSupported())),
    /** GPUs that completed the registration with an all-zero cluster UUID: NVLink inside of one host only. */
    ZERO_UUID(() -> every(gb200(), healthy(SimulatedFabric.NO_CLUSTER, 0))),
    FABRIC_NOT_STARTED(() -> every(gb200(), outside(Numbered.of(FabricState.NOT_STARTED)))),
    /** GPUs that are registering, as in the first minutes after a boot. */
    FABRIC_IN_PROGRESS(() -> every(gb200(), outside(Numbered.of(FabricState.IN_PROGRESS)))),
    REGISTRATION_FAILED(() -> every(gb200(), failedRegistration())),
    /** GPUs whose registration ended with "Insufficient Resources". */
    INSUFFICIENT_RESOURCES(() -> every(
            gb200(),
            SimulatedFabric.registered(
                    NvmlReturn.INSUFFICIENT_RESOURCES, SimulatedFabric.NO_CLUSTER, 0, 0, HealthSummary.NOT_SUPPORTED))),
    /** A tray whose third GPU has no fabric, unlike the others. */
    GPU_OUTSIDE_FABRIC(() -> third(outside(Numbered.of(FabricState.NOT_SUPPORTED)))),
    /** A tray whose third GPU completed the registration with an all-zero cluster UUID, unlike the others. */
    GPU_WITHOUT_CLIQUE(() -> third(healthy(SimulatedFabric.NO_CLUSTER, 0))),
    /** A tray whose third GPU is unhealthy by the driver's own summary, while its mask shows no fault. */
    FABRIC_UNHEALTHY(() -> third(SimulatedFabric.registered(
            NvmlReturn.SUCCESS, SimulatedFabric.CLUSTER, SimulatedFabric.CLIQUE, 0x1AA, HealthSummary.UNHEALTHY))),
    /** Two GPUs in one clique and two in another, which no correct fabric has on one host. */
    TWO_CLIQUES(() -> gb200().withGpu(
                    2, gpu -> gpu.withFabric(healthy(SimulatedFabric.CLUSTER, SimulatedFabric.CLIQUE - 1)))
            .withGpu(3, gpu -> gpu.withFabric(healthy(SimulatedFabric.CLUSTER, SimulatedFabric.CLIQUE - 1)))),
    /** Kernel driver and library of different versions, as between an update and the reboot. */
    VERSION_MISMATCH(() -> gb200().withFailure(NvmlCall.INIT, NvmlReturn.LIB_RM_VERSION_MISMATCH)),
    DRIVER_NOT_LOADED(() -> gb200().withFailure(NvmlCall.INIT, NvmlReturn.DRIVER_NOT_LOADED)),
    /** A tray whose third GPU fell off the bus. */
    GPU_LOST(() -> gb200().withGpu(2, SimulatedGpu::lost)),
    /** A driver that reports typed cliques, one of a type without a name here, and the state of the fabric manager. */
    DRIVER_615(() -> every(gb200().withVersions("615.71", "13.615.71").withFabricVersion(4), SimulatedFabric.typed())),
    /** A driver that supports the struct of the fabric up to version 2. */
    FABRIC_V2_ONLY(() -> gb200().withFabricVersion(2)),
    /** A driver that has the versioned call and refuses all versions of its struct. */
    FABRIC_V1_ONLY(() -> gb200().withFabricVersion(1)),
    WITHOUT_FABRIC_V(() -> without(gb200().withVersions("535.54.03", "12.535.54.03"), NvmlCall.FABRIC_INFO_V)),
    /** A driver from before any call for the fabric. */
    WITHOUT_FABRIC_CALLS(() -> without(
            without(gb200().withVersions("470.57.02", "11.470.57.02"), NvmlCall.FABRIC_INFO_V), NvmlCall.FABRIC_INFO)),
    /** A driver that hangs in a query for the fabric. */
    HANGING(() -> gb200().withHanging(NvmlCall.FABRIC_INFO_V));

    // One PCI domain for each GPU, two on each Grace socket.
    private static final List<String> DOMAINS = List.of("0008", "0009", "0018", "0019");

    // One PCI domain for all GPUs, as on an x86 host.
    private static final List<String> HGX = List.of(
            "0000:1b:00.0",
            "0000:43:00.0",
            "0000:52:00.0",
            "0000:61:00.0",
            "0000:9d:00.0",
            "0000:c3:00.0",
            "0000:d1:00.0",
            "0000:df:00.0");

    @SuppressWarnings("ImmutableEnumChecker") // makes a new tray each time
    private final Supplier<SimulatedTray> tray;

    TrayPreset(Supplier<SimulatedTray> tray) {
        this.tray = tray;
    }

    /** Returns the name for command lines and files, lower case with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public SimulatedTray tray() {
        return tray.get();
    }

    private static SimulatedTray gb200() {
        return tray("NVIDIA GB200", 0x2941);
    }

    private static SimulatedTray b200() {
        return tray("NVIDIA B200", 0x2901);
    }

    private static SimulatedTray tray(String name, int deviceId) {
        return tray(
                name,
                deviceId,
                DOMAINS.stream().map(domain -> domain + ":06:00.0").toList());
    }

    private static SimulatedTray hgx(String name, int deviceId) {
        return every(tray(name, deviceId, HGX), healthy(SimulatedFabric.NO_CLUSTER, 0));
    }

    private static SimulatedTray tray(String name, int deviceId, List<String> addresses) {
        List<SimulatedGpu> gpus = IntStream.range(0, addresses.size())
                .mapToObj(index -> gpu(index, name, deviceId, addresses.get(index)))
                .toList();
        return new SimulatedTray("580.95.05", "13.580.95.05", gpus, 3, Map.of(), Set.of());
    }

    private static SimulatedGpu gpu(int index, String name, int deviceId, String address) {
        HexFormat hex = HexFormat.of();
        return new SimulatedGpu(
                name,
                "GPU-" + hex.toHexDigits(deviceId, 8) + "-5b72-4e09-9d36-" + hex.toHexDigits(index, 12),
                address,
                healthy(SimulatedFabric.CLUSTER, SimulatedFabric.CLIQUE),
                Optional.of(Numbered.of(RecoveryAction.NONE)),
                Map.of());
    }

    private static SimulatedTray third(FabricAnswer fabric) {
        return gb200().withGpu(2, gpu -> gpu.withFabric(fabric));
    }

    private static SimulatedTray every(SimulatedTray tray, FabricAnswer fabric) {
        return tray.withEveryGpu(gpu -> gpu.withFabric(fabric));
    }

    private static SimulatedTray without(SimulatedTray tray, NvmlCall call) {
        return tray.withFailure(call, NvmlReturn.FUNCTION_NOT_FOUND);
    }

    private static FabricAnswer failedRegistration() {
        // Only the chassis serial number is wrong.
        return SimulatedFabric.registered(
                NvmlReturn.UNKNOWN, SimulatedFabric.NO_CLUSTER, 0, 0x3AA, HealthSummary.UNHEALTHY);
    }
}
