package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.HostSide;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.jna.JnaNvml;
import io.imexagent.nvml.simulated.SimulatedNvml;
import io.imexagent.nvml.simulated.TrayPreset;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The NVML that the configuration asks for: the driver's library, or a simulated tray. */
final class NvmlChoice {

    private static final Logger LOG = LoggerFactory.getLogger(NvmlChoice.class);

    private NvmlChoice() {}

    /** The NVML of a valid configuration; nothing is loaded yet. */
    static Nvml of(AgentConfig config) {
        return of(config.nvml(), config.host());
    }

    /** The same, of the part that is about the host alone. */
    static Nvml of(HostSide config) {
        return of(config.nvml(), config.host());
    }

    private static Nvml of(AgentConfig.Nvml nvml, AgentConfig.Host host) {
        return nvml.simulate()
                .flatMap(TrayPreset::named)
                .<Nvml>map(NvmlChoice::simulated)
                .orElseGet(() -> new JnaNvml(host.driverRoot(), Optional.empty()));
    }

    private static Nvml simulated(TrayPreset preset) {
        LOG.warn("NVML is simulated, the GPUs of this host are not read tray={}", preset.label());
        return new SimulatedNvml(preset.tray());
    }
}
