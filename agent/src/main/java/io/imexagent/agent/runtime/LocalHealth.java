package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.HealthSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.imex.ImexLook;
import io.imexagent.imex.health.ImexHealth;

/** Looks at nvidia-imex once, for a command. */
final class LocalHealth implements HealthSource {

    private final ThisProcess process;

    LocalHealth(ThisProcess process) {
        this.process = process;
    }

    @Override
    public ImexHealth look(AgentConfig config) throws InterruptedException {
        return new ImexLook(config, process.clock()).look(new LocalProbe(process).inventory(config));
    }
}
