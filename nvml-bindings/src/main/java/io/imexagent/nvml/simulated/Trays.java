package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Architecture;
import io.imexagent.nvml.ClusterUuid;
import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.RecoveryAction;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The healthy trays that the presets are made of. */
final class Trays {
    static final ClusterUuid CLUSTER = ClusterUuid.parse("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
    static final long CLIQUE = 32766;

    private static final int NVIDIA = 0x10de;
    // One PCI domain for each GPU, two on each Grace socket.
    private static final List<Long> DOMAINS = List.of(0x8L, 0x9L, 0x18L, 0x19L);

    private Trays() {}

    static SimulatedTray gb200() {
        return tray("NVIDIA GB200", 0x2941);
    }

    static SimulatedTray gb300() {
        return tray("NVIDIA GB300", 0x31c2);
    }

    static SimulatedTray b200() {
        return tray("NVIDIA B200", 0x2901);
    }

    private static SimulatedTray tray(String name, int deviceId) {
        List<SimulatedGpu> gpus = new ArrayList<>();
        for (int index = 0; index < DOMAINS.size(); index++) {
            gpus.add(gpu(index, name, deviceId));
        }
        return new SimulatedTray(
                "580.95.05", "13.580.95.05", gpus, Set.of(FabricInfoVersion.values()), Map.of(), Set.of());
    }

    private static SimulatedGpu gpu(int index, String name, int deviceId) {
        HexFormat hex = HexFormat.of();
        return new SimulatedGpu(
                name,
                "GPU-" + hex.toHexDigits(deviceId, 8) + "-5b72-4e09-9d36-" + hex.toHexDigits(index, 12),
                pci(DOMAINS.get(index), deviceId),
                index,
                Optional.of(Architecture.Known.BLACKWELL),
                SimulatedFabric.healthy(CLUSTER, CLIQUE),
                Optional.of(new PlatformInfo(
                        Optional.of(hex.toHexDigits(0x48b0_2d00_c1f0_0100L + index) + "0".repeat(16)),
                        Optional.of("1820000000001"),
                        11,
                        4,
                        1,
                        2,
                        index + 1)),
                Optional.of(RecoveryAction.Known.NONE),
                Map.of());
    }

    private static PciInfo pci(long domain, int deviceId) {
        String busId = HexFormat.of().withUpperCase().toHexDigits(domain, 8) + ":06:00.0";
        return new PciInfo(domain, 6, 0, NVIDIA, deviceId, 0x2045_10deL, busId);
    }
}
