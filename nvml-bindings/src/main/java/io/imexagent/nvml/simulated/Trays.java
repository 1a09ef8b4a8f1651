package io.imexagent.nvml.simulated;

import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.RecoveryAction;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** The healthy trays that the presets are made of. */
final class Trays {
    static final UUID CLUSTER = UUID.fromString("c4a1f0de-5b72-4e09-9d36-8f2b7a60e153");
    static final long CLIQUE = 32766;

    // One PCI domain for each GPU, two on each Grace socket.
    private static final List<String> DOMAINS = List.of("0008", "0009", "0018", "0019");

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
        return new SimulatedTray("580.95.05", "13.580.95.05", gpus, 3, Map.of(), Set.of());
    }

    private static SimulatedGpu gpu(int index, String name, int deviceId) {
        HexFormat hex = HexFormat.of();
        return new SimulatedGpu(
                name,
                "GPU-" + hex.toHexDigits(deviceId, 8) + "-5b72-4e09-9d36-" + hex.toHexDigits(index, 12),
                DOMAINS.get(index) + ":06:00.0",
                SimulatedFabric.healthy(CLUSTER, CLIQUE),
                Optional.of(Numbered.of(RecoveryAction.NONE)),
                Map.of());
    }
}
