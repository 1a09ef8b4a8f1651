package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ProvisionSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.imex.provision.Provisioning;
import io.imexagent.imex.provision.Provisioning.Outcome;
import java.io.IOException;
import java.util.function.Consumer;

/** Provisions this host, for a command. */
final class LocalProvision implements ProvisionSource {

    @Override
    public Outcome provision(AgentConfig config, boolean change, Consumer<String> lines)
            throws IOException, InterruptedException {
        var provisioning = new Provisioning(config.imexService(), config.get(ConfigKeys.HOST_ROOT), lines);
        return change ? provisioning.apply() : provisioning.check();
    }
}
