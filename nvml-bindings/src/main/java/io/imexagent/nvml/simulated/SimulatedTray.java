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
 * A host as reported by NVML: driver, GPUs by index, and faults. {@link TrayPreset} has common ones; the {@code with…}
 * methods derive others from them.
 *
 * @param fabricVersion the newest form of the query for the fabric that the driver supports, 0 (none) to 4
 * @param failures calls that fail, with their results; a GPU's own failures take precedence
 * @param hanging calls that do not return as long as they are in this set
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
