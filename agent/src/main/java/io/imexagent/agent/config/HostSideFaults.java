package io.imexagent.agent.config;

import java.util.List;

/** Tells which faults leave open what a configuration says about the host alone. Pure. */
final class HostSideFaults {

    private static final List<String> SECTIONS = List.of("imex.service", "host", "nvml");

    private HostSideFaults() {}

    /**
     * Whether the fault does. One about a key does where the key is of those sections, or may hold one of them. One about
     * a whole source does, but for a variable of the environment with another name: nobody knows what else it said.
     * Whatever the command line says wrong does: whoever wrote it waits for the answer.
     */
    static boolean concern(ConfigFault fault) {
        if (fault.where().filter(Origin.Flag.class::isInstance).isPresent()) {
            return true;
        }
        return fault.key()
                .map(HostSideFaults::touches)
                .orElseGet(() -> fault.where().map(HostSideFaults::touches).orElse(true));
    }

    private static boolean touches(String key) {
        return SECTIONS.stream()
                .anyMatch(section ->
                        key.equals(section) || key.startsWith(section + ".") || section.startsWith(key + "."));
    }

    private static boolean touches(Origin origin) {
        return !(origin instanceof Origin.Environment environment)
                || SECTIONS.stream()
                        .anyMatch(section -> environment.variable().startsWith(EnvironmentLayer.of(section) + "_"));
    }
}
