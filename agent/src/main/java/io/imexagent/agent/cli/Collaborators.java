package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.imex.provision.Provisioning;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What commands need from outside: the process, the runners of agent and controller, the installer of nvidia-imex. */
public record Collaborators(
        ThisProcess process,
        Runner agent,
        Runner forcedAgent,
        Runner controller,
        Predicate<String> journal,
        Provisioner provisioner) {

    /** Work under a configuration: the agent, the controller, or a command that ends by itself. */
    @FunctionalInterface
    public interface Runner {

        /** Runs to its end or a signal; {@code reload} loads the configuration again. A failure states the remedy. */
        ExitCode run(AgentConfig config, Supplier<LoadResult<AgentConfig>> reload) throws Exception;
    }

    /** Installs nvidia-imex and enables its unit, on hosts of the configured vendors. */
    @FunctionalInterface
    public interface Provisioner {

        /**
         * Makes the necessary changes, or only reports them as lines if {@code change} is false; with {@code
         * onlyWithGpu} on a host with a GPU only. Throws if the state of the host cannot be read; the message states
         * the remedy.
         */
        Provisioning.ProvisionResult provision(
                AgentConfig config, boolean change, boolean onlyWithGpu, Consumer<String> lines)
                throws IOException, InterruptedException;
    }
}
