package io.imexagent.nvml.simulated;

import io.imexagent.nvml.NvmlCall;
import io.imexagent.nvml.NvmlReturn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * A description of what NVML sees on a host: driver, GPUs by index, and what goes wrong. {@link TrayPreset} has the usual
 * ones; the {@code with…} methods make others of them.
 *
 * @param fabricVersion the newest form of the question for the fabric that the driver knows, 0 (none) to 4
 * @param failures calls that fail, and how; on a GPU, the GPU's own failures go first
 * @param hanging calls that do not return for as long as they stand here
 */
public record SimulatedTray(
        String driverVersion,
        String nvmlVersion,
        List<SimulatedGpu> gpus,
        int fabricVersion,
        Map<NvmlCall, NvmlReturn> failures,
        Set<NvmlCall> hanging) {
    public SimulatedTray {
        gpus = List.copyOf(gpus);
        failures = Map.copyOf(failures);
        hanging = Set.copyOf(hanging);
    }

    public SimulatedTray withGpus(List<SimulatedGpu> changed) {
        return new SimulatedTray(driverVersion, nvmlVersion, changed, fabricVersion, failures, hanging);
    }

    public SimulatedTray withGpu(int index, UnaryOperator<SimulatedGpu> change) {
        List<SimulatedGpu> changed = new ArrayList<>(gpus);
        changed.set(index, change.apply(gpus.get(index)));
        return withGpus(changed);
    }

    public SimulatedTray withEveryGpu(UnaryOperator<SimulatedGpu> change) {
        return withGpus(gpus.stream().map(change).toList());
    }

    public SimulatedTray withVersions(String driver, String nvml) {
        return new SimulatedTray(driver, nvml, gpus, fabricVersion, failures, hanging);
    }

    public SimulatedTray withFabricVersion(int changed) {
        return new SimulatedTray(driverVersion, nvmlVersion, gpus, changed, failures, hanging);
    }

    /** Returns this tray with one more failing call. */
    public SimulatedTray withFailure(NvmlCall call, NvmlReturn result) {
        var changed = new HashMap<>(failures);
        changed.put(call, result);
        return new SimulatedTray(driverVersion, nvmlVersion, gpus, fabricVersion, changed, hanging);
    }

    /** Returns this tray with one more call that hangs. */
    public SimulatedTray withHanging(NvmlCall call) {
        var changed = new HashSet<>(hanging);
        changed.add(call);
        return new SimulatedTray(driverVersion, nvmlVersion, gpus, fabricVersion, failures, changed);
    }
}
