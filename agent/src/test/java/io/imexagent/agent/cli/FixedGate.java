package io.imexagent.agent.cli;

import io.imexagent.agent.cli.Collaborators.GateSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.imex.gate.GateVerdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A gate with one verdict, which remembers the words that were left. */
final class FixedGate implements GateSource {

    private final GateVerdict verdict;
    private final List<GateVerdict> words = new ArrayList<>();

    FixedGate(GateVerdict verdict) {
        this.verdict = verdict;
    }

    @Override
    public GateVerdict ask(AgentConfig config) {
        return verdict;
    }

    @Override
    public Optional<String> leaveWord(AgentConfig config, GateVerdict left) {
        words.add(left);
        return Optional.empty();
    }

    List<GateVerdict> words() {
        return words;
    }
}
