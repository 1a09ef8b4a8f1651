package io.imexagent.agent.config;

import java.util.List;

/**
 * What became of loading the configuration, or a part of it.
 *
 * @param <T> what a valid one is
 */
public sealed interface LoadResult<T> {

    /** It is valid, and this is effective. */
    record Loaded<T>(T effective) implements LoadResult<T> {}

    /**
     * It is not, for all these faults, at least one: the file's in the order of its lines, then the environment's, the
     * command line's, and those of values that do not go together.
     */
    record Faulty<T>(List<ConfigFault> faults) implements LoadResult<T> {

        public Faulty {
            faults = List.copyOf(faults);
        }
    }
}
