package io.imexagent.agent.config;

import io.imexagent.agent.config.AgentConfig.Host;
import io.imexagent.agent.config.AgentConfig.Nvml;
import io.imexagent.imex.gate.ImexServiceSettings;
import java.util.List;

/** What became of loading the part of the configuration that is about the host alone. */
public sealed interface HostSideResult {

    /**
     * It holds.
     *
     * @param side that part
     * @param elsewhere faults that it does not depend on, which keep an agent from starting and nothing else
     */
    record Loaded(HostSide side, List<ConfigFault> elsewhere) implements HostSideResult {

        /** Copies the list in. */
        public Loaded {
            elsewhere = List.copyOf(elsewhere);
        }
    }

    /**
     * It cannot be told what it says.
     *
     * @param faults everything that is wrong, at least one thing of it with this part
     */
    record Faulty(List<ConfigFault> faults) implements HostSideResult {

        /** Copies the list in. */
        public Faulty {
            faults = List.copyOf(faults);
        }
    }

    /** The sections about the host alone: where its files stand, how its GPUs are read, and where nvidia-imex starts. */
    record HostSide(Host host, Nvml nvml, ImexServiceSettings service) {

        static HostSide of(ConfigValues values) {
            return new HostSide(
                    new Host(values.in("host")),
                    new Nvml(values.in("nvml")),
                    new ImexServiceSettings(values.in("imex.service")));
        }
    }
}
