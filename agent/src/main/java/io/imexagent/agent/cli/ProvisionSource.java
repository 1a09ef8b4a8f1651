package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.provision.Provisioning.Outcome;
import java.io.IOException;
import java.util.function.Consumer;

/** Installs nvidia-imex and enables its unit where it belongs. */
@FunctionalInterface
public interface ProvisionSource {

    /**
     * Provisions this host.
     *
     * @param config what it goes by
     * @param change whether to change what must be changed, or only to tell
     * @param lines is told what happens, one line each
     * @throws IOException where the host does not tell what it is; the message says what to do
     */
    Outcome provision(AgentConfig config, boolean change, Consumer<String> lines)
            throws IOException, InterruptedException;
}
