package io.imexagent.agent.config;

import io.imexagent.agent.config.AgentConfig.HostConfig;
import io.imexagent.agent.config.AgentConfig.NvmlConfig;
import io.imexagent.imex.gate.ImexServiceSettings;
import java.util.List;

/**
 * The part of a configuration about the host alone: the location of its files, the reading of GPUs, and where
 * nvidia-imex starts. Faults {@code elsewhere}, which keep an agent from starting, do not affect it.
 */
public record HostSide(HostConfig host, NvmlConfig nvml, ImexServiceSettings service, List<ConfigFault> elsewhere) {

    private static final List<String> SECTIONS = List.of("imex.service", "host", "nvml");

    public HostSide {
        elsewhere = List.copyOf(elsewhere);
    }

    HostSide(ConfigValues values, List<ConfigFault> elsewhere) {
        this(
                values.record("host", HostConfig.class),
                values.record("nvml", NvmlConfig.class),
                values.record("imex.service", ImexServiceSettings.class),
                elsewhere);
    }

    /**
     * Whether the fault makes the host's configuration uncertain: a fault of a key in these sections or above them; one
     * of a whole source, except for an environment variable with another name; any on the command line, whose user sees
     * the result at once.
     */
    static boolean isConcernedBy(ConfigFault fault) {
        if (fault.where().filter(Origin.FromFlag.class::isInstance).isPresent()) {
            return true;
        }
        return fault.key()
                .map(HostSide::touches)
                .orElseGet(() -> fault.where().map(HostSide::touches).orElse(true));
    }

    private static boolean touches(Origin source) {
        return !(source instanceof Origin.FromEnvironment(String variable))
                || SECTIONS.stream().anyMatch(section -> variable.startsWith(EnvironmentLayer.of(section) + "_"));
    }

    private static boolean touches(String key) {
        return SECTIONS.stream()
                .anyMatch(section ->
                        key.equals(section) || key.startsWith(section + ".") || section.startsWith(key + "."));
    }
}
