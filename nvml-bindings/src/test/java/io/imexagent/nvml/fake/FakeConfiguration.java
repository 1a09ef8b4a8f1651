package io.imexagent.nvml.fake;

import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import java.util.Map;
import java.util.stream.Collectors;

/** The file that the fake library answers from; the keys are described at the head of {@code fake_nvml.c}. */
final class FakeConfiguration {
    private final StringBuilder text = new StringBuilder();

    private FakeConfiguration() {}

    static String of(SimulatedTray tray) {
        FakeConfiguration configuration = new FakeConfiguration();
        configuration.put("driver_version", tray.driverVersion());
        configuration.put("nvml_version", tray.nvmlVersion());
        configuration.put("fabric_version", tray.fabricVersion());
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
        // The kernel's form of the address is domain:bus:device.function, in hexadecimal digits.
        put(prefix + "pci", gpu.pciAddress().replaceAll("[:.]", " "));
        putFabric(prefix, gpu.fabric());
        gpu.recoveryAction().ifPresent(action -> put(prefix + "recovery_action", action.number()));
        putFailures(prefix, gpu.failures());
    }

    private void putFabric(String prefix, FabricAnswer fabric) {
        // Without a line the fake answers NOT_SUPPORTED.
        if (fabric instanceof FabricAnswer.Reported(FabricInfo info)) {
            put(
                    prefix + "fabric",
                    info.state().number()
                            + " " + info.status().number()
                            + " " + info.cliqueId()
                            + " "
                            + Integer.toUnsignedString(
                                    info.health().orElseThrow().mask())
                            + " " + info.healthSummary().orElseThrow().number());
            put(
                    prefix + "cliques",
                    info.cliques().stream()
                            .map(clique -> clique.type().number() + " " + clique.id())
                            .collect(Collectors.joining(" ")));
            put(prefix + "cluster_uuid", info.clusterUuid().toString().replace("-", ""));
        }
    }

    private void putFailures(String prefix, Map<NvmlCall, NvmlReturn> failures) {
        failures.forEach((call, result) -> put(prefix + "return." + call.symbol(), result.number()));
    }

    private void put(String key, Object value) {
        text.append(key).append('=').append(value).append('\n');
    }
}
