package io.imexagent.agent.config;

import java.util.List;

/** What became of loading the configuration. */
public sealed interface LoadResult {

    /**
     * It is valid.
     *
     * @param effective the configuration
     */
    record Loaded(EffectiveConfig effective) implements LoadResult {}

    /**
     * It is not.
     *
     * @param faults everything that is wrong, at least one: the file's in the order of its lines, then the
     *     environment's, the command line's, and those of values that do not go together
     */
    record Faulty(List<ConfigFault> faults) implements LoadResult {

        /** Copies the list in. */
        public Faulty {
            faults = List.copyOf(faults);
        }
    }
}
