package io.imexagent.nvml.fake;

import io.imexagent.nvml.FabricInfoVersion;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.PciInfo;
import io.imexagent.nvml.PlatformInfo;
import io.imexagent.nvml.simulated.SimulatedFabric;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The file that the fake library answers from; the keys are described at the head of {@code fake_nvml.c}. */
final class FakeConfiguration {
    private final StringBuilder text = new StringBuilder();

    private FakeConfiguration() {}

    static String of(SimulatedTray tray) {
        FakeConfiguration configuration = new FakeConfiguration();
        configuration.put("driver_version", tray.driverVersion());
        configuration.put("nvml_version", tray.nvmlVersion());
        configuration.put(
                "fabric_versions",
                new TreeSet<>(tray.fabricVersions())
                        .stream().map(FakeConfiguration::number).collect(Collectors.joining(",")));
        configuration.putFailures("", tray.failures());
        tray.hanging().forEach(call -> configuration.put("hang." + call.symbol(), "yes"));
        configuration.put("gpus", tray.gpus().size());
        for (int index = 0; index < tray.gpus().size(); index++) {
            configuration.putGpu("gpu." + index + ".", tray.gpus().get(index));
        }
        return configuration.text.toString();
    }

    private void putGpu(String prefix, SimulatedGpu gpu) {
        put(prefix + "name", gpu.name());
        put(prefix + "uuid", gpu.uuid());
        PciInfo pci = gpu.pci();
        put(prefix + "bus_id", pci.busId());
        long pciDeviceId = ((long) pci.deviceId() << 16) | pci.vendorId();
        put(
                prefix + "pci",
                pci.domain() + " " + pci.bus() + " " + pci.device() + " " + pciDeviceId + " " + pci.subSystemId());
        put(prefix + "minor", gpu.minorNumber());
        gpu.architecture().ifPresent(architecture -> put(prefix + "architecture", architecture.number()));
        putFabric(prefix, gpu.fabric());
        gpu.platform().ifPresent(platform -> put(prefix + "platform", hex(platform)));
        gpu.recoveryAction().ifPresent(action -> put(prefix + "recovery_action", action.number()));
        putFailures(prefix, gpu.failures());
    }

    private void putFabric(String prefix, SimulatedFabric fabric) {
        switch (fabric) {
            case SimulatedFabric.CallNotSupported() -> {
                // The fake answers so when there is no line.
            }
            case SimulatedFabric.Answering answering -> {
                put(
                        prefix + "fabric",
                        answering.state().number()
                                + " " + answering.status().number()
                                + " " + answering.cliqueId()
                                + " "
                                + Integer.toUnsignedString(answering.health().mask())
                                + " " + answering.healthSummary().number());
                put(
                        prefix + "cluster_uuid",
                        HexFormat.of().formatHex(answering.clusterUuid().toBytes()));
            }
        }
    }

    private void putFailures(String prefix, Map<NvmlCall, NvmlReturn> failures) {
        failures.forEach((call, result) -> put(prefix + "return." + call.symbol(), result.number()));
    }

    private void put(String key, Object value) {
        text.append(key).append('=').append(value).append('\n');
    }

    private static String number(FabricInfoVersion version) {
        return switch (version) {
            case V1 -> "1";
            case V2 -> "2";
            case V3 -> "3";
        };
    }

    /** Returns the bytes of the struct behind its version, the three of padding at its end included. */
    private static String hex(PlatformInfo platform) {
        HexFormat hex = HexFormat.of();
        byte[] serialNumber = platform.chassisSerialNumber().orElse("").getBytes(StandardCharsets.US_ASCII);
        return platform.infinibandGuid().orElse("0".repeat(32))
                + hex.formatHex(serialNumber)
                + "00".repeat(16 - serialNumber.length)
                + hex.toHexDigits((byte) platform.slotNumber())
                + hex.toHexDigits((byte) platform.trayIndex())
                + hex.toHexDigits((byte) platform.hostId())
                + hex.toHexDigits((byte) platform.peerType())
                + hex.toHexDigits((byte) platform.moduleId())
                + "000000";
    }
}
