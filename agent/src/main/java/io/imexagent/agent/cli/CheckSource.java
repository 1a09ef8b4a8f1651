package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.CheckResult;
import java.util.List;

/** Checks what must be so before the agent can serve. */
@FunctionalInterface
public interface CheckSource {

    /** All checks, in the order in which they are told. */
    List<CheckResult> check(AgentConfig config) throws InterruptedException;
}
