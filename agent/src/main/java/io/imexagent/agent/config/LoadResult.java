package io.imexagent.agent.config;

import java.util.List;

/** What became of loading the configuration, or a part of it. */
public sealed interface LoadResult<T> {

    /** It is valid, and this is effective. */
    record LoadedConfig<T>(T effective) implements LoadResult<T> {}

    /**
     * It is not, for all these faults, at least one: those of a line of the file in the order of its lines, then those of
     * the environment and of the command line, and those of what is missing.
     */
    record FaultyConfig<T>(List<ConfigFault> faults) implements LoadResult<T> {

        public FaultyConfig {
            faults = List.copyOf(faults);
        }
    }
}
