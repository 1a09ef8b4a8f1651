package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.LoadResult;
import java.util.function.Supplier;

/** What is done under a configuration: the agent, the controller, or a command that ends by itself. */
@FunctionalInterface
public interface Runner {

    /**
     * Runs to its end, or until a signal, and loads the configuration again by {@code reload}.
     *
     * @throws Exception where it could not be done; the message says why and what to do
     */
    ExitCode run(AgentConfig config, Supplier<LoadResult<AgentConfig>> reload) throws Exception;
}
