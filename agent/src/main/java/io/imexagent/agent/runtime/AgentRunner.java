package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.Runner;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.policy.Isolation;
import io.imexagent.systemd.JournalStream;
import io.imexagent.systemd.ServiceManager;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code imex-agent run}: from the configuration to SIGTERM. */
final class AgentRunner implements Runner {

    /** From the signal to the end of the process; what is left of 5 s is for the JVM. */
    private static final Duration STOP = Duration.ofMillis(4500);

    private final ThisProcess process;
    private final String version;
    private Optional<StartAhead> ahead = Optional.empty();

    AgentRunner(ThisProcess process, String version) {
        this.process = process;
        this.version = version;
    }

    @Override
    public void ahead() {
        ahead = Optional.of(StartAhead.begin());
    }

    @Override
    public ExitCode run(EffectiveConfig effective, Supplier<LoadResult> reload) throws Exception {
        Logging.start(effective.config().log().level(), JournalStream.onStandardError(process.environment()));
        Logger log = LoggerFactory.getLogger(AgentRunner.class);
        log.info(
                "imex-agent starting version={} node={} config={} mode={}",
                version,
                effective.config().node().name(),
                effective.file().map(Object::toString).orElse("(none)"),
                effective.config().featureGates().hostManagedImex() ? "host-managed" : "observe-only");
        effective.notes().forEach(log::info);
        if (effective.config().featureGates().hostManagedImex()
                && effective.config().imex().isolation().equals(Optional.of(Isolation.IMEX_CHANNEL))) {
            log.error(
                    "imex.isolation IMEXChannel is the controller's alone in this version: agents serve channel 0 only;"
                            + " set it to None on nodes");
            return ExitCode.CONFIGURATION;
        }
        var lifetime = new Lifetime(process.nanoTime());
        var agent = new RunningAgent(
                effective.config(),
                process,
                version,
                ahead.orElseGet(StartAhead::begin).vertx());
        var service = new Service(ServiceManager.of(process.environment()), agent, process);
        boolean stopped;
        try {
            var reloading = new Reloading(agent, reload);
            Signals.handle(lifetime::end, () -> service.reloading(reloading::run));
            if (lifetime.start(agent::start)) {
                service.started();
                lifetime.awaitEnd();
            }
            log.info("imex-agent stopping");
        } catch (IOException refused) {
            service.failed(String.valueOf(refused.getMessage()));
            throw refused;
        } finally {
            stopped = new Stopping(deadline -> {
                        service.stopping();
                        agent.stop(deadline);
                    })
                    .by(lifetime.stopWithin(STOP));
        }
        log.info("imex-agent stopped");
        return stopped ? ExitCode.OK : ExitCode.FAILED;
    }
}
