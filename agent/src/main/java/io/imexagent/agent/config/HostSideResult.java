package io.imexagent.agent.config;

import java.util.List;

/** What became of loading the part of the configuration that is about the host alone. */
public sealed interface HostSideResult {

    /**
     * It holds.
     *
     * @param config a configuration in which that part is right, and anything else may be a default or lack
     * @param elsewhere faults that it does not depend on, which keep an agent from starting and nothing else
     */
    record Loaded(AgentConfig config, List<ConfigFault> elsewhere) implements HostSideResult {

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
}
