package io.imexagent.agent.config;

import java.util.List;

/** The result of loading the configuration, or a part of it. */
public sealed interface LoadResult<T> {

    /** The configuration is valid; its effective values. */
    record LoadedConfig<T>(T effective) implements LoadResult<T> {}

    /**
     * The configuration is invalid, with all its faults, at least one: those in lines of the file by line, then those
     * of the environment and the command line, then those about missing values.
     */
    record FaultyConfig<T>(List<ConfigFault> faults) implements LoadResult<T> {

        public FaultyConfig {
            faults = List.copyOf(faults);
        }
    }
}
