package io.imexagent.agent.cli;

import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import java.util.function.Supplier;

/** Runs the agent. */
@FunctionalInterface
public interface Runner {

    /** This runner, but it accepts claims that are prepared under another mode. */
    default Runner forced() {
        return this;
    }

    /**
     * Runs until the agent is told to end.
     *
     * @param effective the configuration
     * @param reload loads the configuration again from the same sources
     * @return how it ended
     * @throws Exception where it could not start; the message says why and what to do
     */
    ExitCode run(EffectiveConfig effective, Supplier<LoadResult> reload) throws Exception;
}
