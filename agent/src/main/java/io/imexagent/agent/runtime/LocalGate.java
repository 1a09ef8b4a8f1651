package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Collaborators;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.imex.gate.GateVerdict;
import io.imexagent.imex.gate.HostGate;
import io.imexagent.imex.gate.NvmlWords;
import io.imexagent.imex.probe.NvmlFacts;
import io.imexagent.imex.probe.NvmlProbe;
import java.time.Duration;
import java.util.Optional;

/** The gate of this host, for a command. */
final class LocalGate implements Collaborators.GateSource {

    private static final Duration LONGEST_START = Duration.ofSeconds(8);

    private final ThisProcess process;

    LocalGate(ThisProcess process) {
        this.process = process;
    }

    @Override
    public GateVerdict ask(AgentConfig config) throws InterruptedException {
        return gate(config).ask();
    }

    @Override
    public Optional<String> leaveWord(AgentConfig config, GateVerdict verdict) {
        return gate(config).leaveWord(verdict);
    }

    private HostGate gate(AgentConfig config) {
        return new HostGate(
                config.get(ConfigKeys.HOST_ROOT), config.imexService(), () -> words(config), process.nanoTime(), age());
    }

    /** At boot, when all start at once, a JVM may need a second to begin. A clock that was set meanwhile counts for nothing. */
    private Duration age() {
        Duration age = ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, process.clock().instant()))
                .orElse(Duration.ZERO);
        return age.isNegative() || age.compareTo(LONGEST_START) > 0 ? Duration.ZERO : age;
    }

    private static NvmlWords words(AgentConfig config) {
        NvmlFacts facts = new NvmlProbe(NvmlChoice.atOnce(config)).read();
        return new NvmlWords(facts.driver(), facts.gpus());
    }
}
