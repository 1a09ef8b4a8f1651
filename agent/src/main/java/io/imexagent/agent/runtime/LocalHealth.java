package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.HealthSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.watch.ImexLook;

/** Looks at nvidia-imex once, for a command. */
final class LocalHealth implements HealthSource {

    private final ThisProcess process;

    LocalHealth(ThisProcess process) {
        this.process = process;
    }

    @Override
    public ImexHealth look(AgentConfig config) throws InterruptedException {
        return look(config, process).look(new LocalProbe(process).inventory(config));
    }

    /** The looks at nvidia-imex that this configuration wants. */
    static ImexLook look(AgentConfig config, ThisProcess process) {
        return new ImexLook(
                config.imexHealth(),
                config.get(ConfigKeys.HOST_ROOT),
                config.get(ConfigKeys.NODE_NAME),
                config.hostManaged(),
                process.clock());
    }
}
