package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.gate.GateVerdict;
import java.util.Optional;

/** Decides whether nvidia-imex should run on this host. */
public interface GateSource {

    /** The verdict. Ends within ten seconds. */
    GateVerdict ask(AgentConfig config) throws InterruptedException;

    /**
     * Leaves word of a start that was decided, for the daemon.
     *
     * @return why no word could be left; the verdict holds all the same
     */
    Optional<String> leaveWord(AgentConfig config, GateVerdict verdict);
}
