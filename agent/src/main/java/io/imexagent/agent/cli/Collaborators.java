package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.provision.Provisioning;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What commands cannot open themselves: the process, and what runs the agent and the controller and installs
 * nvidia-imex.
 */
public record Collaborators(
        ThisProcess process,
        Runner agent,
        Runner forcedAgent,
        Runner controller,
        Predicate<String> journal,
        Provisioner provisioner) {

    /** Installs nvidia-imex and enables its unit, on hosts of the vendors that are meant. */
    @FunctionalInterface
    public interface Provisioner {

        /**
         * Changes what must be changed, or only prints that, a line each; where that is wanted, on a host with a GPU only.
         * Throws where the state of the host cannot be read; the message says what to do.
         */
        Provisioning.Outcome provision(AgentConfig config, boolean change, boolean onlyWithGpu, Consumer<String> lines)
                throws IOException, InterruptedException;
    }
}
