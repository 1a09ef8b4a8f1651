package io.imexagent.imex.gate;

import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Gpu;
import java.util.List;

/**
 * What NVML says, as far as the gate cares.
 *
 * @param driver the driver
 * @param gpus the GPUs; empty while the driver is not loaded
 */
public record NvmlWords(DriverState driver, List<Gpu> gpus) {

    /** Copies the list in. */
    public NvmlWords {
        gpus = List.copyOf(gpus);
    }
}
