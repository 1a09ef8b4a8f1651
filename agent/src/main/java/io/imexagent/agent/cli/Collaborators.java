package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.imex.provision.Provisioning;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What commands cannot open themselves: the process, and what runs agent and controller and installs nvidia-imex. */
public record Collaborators(
        ThisProcess process,
        Runner agent,
        Runner forcedAgent,
        Runner controller,
        Predicate<String> journal,
        Provisioner provisioner) {

    /** What is done under a configuration: the agent, the controller, or a command that ends by itself. */
    @FunctionalInterface
    public interface Runner {

        /** Runs to its end or a signal; {@code reload} loads the configuration again. A failure says what to do. */
        ExitCode run(AgentConfig config, Supplier<LoadResult<AgentConfig>> reload) throws Exception;
    }

    /** Installs nvidia-imex and enables its unit, on hosts of the vendors that are meant. */
    @FunctionalInterface
    public interface Provisioner {

        /**
         * Changes what must be changed, or only prints that, a line each; where that is wanted, on a host with a GPU only.
         * Throws where the state of the host cannot be read; the message says what to do.
         */
        Provisioning.ProvisionResult provision(
                AgentConfig config, boolean change, boolean onlyWithGpu, Consumer<String> lines)
                throws IOException, InterruptedException;
    }
}
