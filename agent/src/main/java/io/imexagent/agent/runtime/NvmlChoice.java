package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.jna.JnaNvml;
import io.imexagent.nvml.simulated.SimulatedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The NVML that the configuration asks for: the driver's library, or a simulated tray. */
final class NvmlChoice {

    /** Loading a library takes milliseconds, on a machine that boots with all its services at once some more. */
    private static final Duration LOADING = Duration.ofSeconds(3);

    private static final Logger LOG = LoggerFactory.getLogger(NvmlChoice.class);

    private NvmlChoice() {}

    /** The NVML of a valid configuration; nothing is loaded yet. One that hangs as it is loaded is left alone. */
    static Nvml of(AgentConfig config) {
        return of(config, () -> library(config).tryingFirst(LOADING));
    }

    /** The same for the gate, which is pressed for time and whose launcher ends it if the library hangs. */
    static Nvml atOnce(AgentConfig config) {
        return of(config, () -> library(config));
    }

    private static Nvml of(AgentConfig config, Supplier<Nvml> library) {
        return config.find(ConfigKeys.NVML_SIMULATE)
                .flatMap(TrayPreset::named)
                .map(NvmlChoice::simulated)
                .orElseGet(library);
    }

    private static JnaNvml library(AgentConfig config) {
        return new JnaNvml(config.get(ConfigKeys.DRIVER_ROOT));
    }

    private static Nvml simulated(TrayPreset preset) {
        LOG.warn("NVML is simulated, the GPUs of this host are not read tray={}", preset.label());
        return new SimulatedNvml(preset.tray());
    }
}
