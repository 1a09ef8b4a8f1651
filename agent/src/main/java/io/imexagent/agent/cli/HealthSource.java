package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.health.ImexHealth;

/** Looks at nvidia-imex once. */
@FunctionalInterface
public interface HealthSource {

    /** How it is now. What nobody could tell is part of the answer. */
    ImexHealth look(AgentConfig config) throws InterruptedException;
}
