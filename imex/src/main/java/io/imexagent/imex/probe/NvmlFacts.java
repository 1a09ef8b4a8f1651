package io.imexagent.imex.probe;

import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import java.util.List;

/** What NVML says: the driver, the GPUs by index, where the node stands in the fabric, and findings. */
public record NvmlFacts(DriverState driver, List<Gpu> gpus, CliqueState clique, List<Finding> findings) {

    public NvmlFacts {
        gpus = List.copyOf(gpus);
        findings = List.copyOf(findings);
    }

    /** A driver that fails, and says nothing of GPUs and clique. */
    public static NvmlFacts failing(String reason) {
        return new NvmlFacts(new DriverState.Failing(reason), List.of(), new CliqueState.Unknown(reason), List.of());
    }

    /** A driver that says nothing of GPUs and clique, as this finding tells. */
    static NvmlFacts without(DriverState driver, Finding why) {
        return new NvmlFacts(driver, List.of(), new CliqueState.Unknown(why.message()), List.of(why));
    }
}
