package io.imexagent.imex.probe;

import io.imexagent.nvml.FabricHealth;
import io.imexagent.nvml.FabricInfo;
import io.imexagent.nvml.FabricInfo.FabricState;
import io.imexagent.nvml.FabricInfo.HealthSummary;
import io.imexagent.nvml.Numbered;
import io.imexagent.nvml.NvmlDevice.FabricAnswer;
import io.imexagent.nvml.NvmlReturn;
import io.imexagent.nvml.simulated.SimulatedGpu;
import io.imexagent.nvml.simulated.SimulatedTray;
import io.imexagent.nvml.simulated.TrayPreset;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/** What GPUs answer of their fabric in a line: state, status, clique, mask in hexadecimal, summary and UUID of each. */
final class FabricLine {

    private FabricLine() {}

    /** The lines of a file that stands beside this class, without its comments. */
    static List<String> of(String file) {
        try (var bytes = Objects.requireNonNull(FabricLine.class.getResourceAsStream(file), file)) {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#") && !line.isBlank())
                    .toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A healthy tray whose GPUs answer as the line says. */
    static SimulatedTray tray(String line) {
        SimulatedTray tray = TrayPreset.GB200.tray();
        String[] gpus = line.split(";", -1);
        for (int index = 0; index < gpus.length; index++) {
            FabricAnswer answer = answer(gpus[index].split(",", -1));
            tray = tray.withGpu(index, (SimulatedGpu gpu) -> gpu.withFabric(answer));
        }
        return tray;
    }

    private static FabricAnswer answer(String[] fields) {
        return new FabricAnswer.Reported(new FabricInfo(
                Numbered.of(Long.parseLong(fields[0]), FabricState.values()),
                Numbered.of(Long.parseLong(fields[1]), NvmlReturn.values()),
                uuid(fields[5]),
                Long.parseLong(fields[2]),
                Optional.of(new FabricHealth(Integer.parseUnsignedInt(fields[3], 16))),
                Optional.of(Numbered.of(Long.parseLong(fields[4]), HealthSummary.values())),
                List.of()));
    }

    private static UUID uuid(String hex) {
        return new UUID(
                Long.parseUnsignedLong(hex.substring(0, 16), 16), Long.parseUnsignedLong(hex.substring(16), 16));
    }
}
