package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.Runner;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.log.Logging;
import io.imexagent.systemd.JournalStream;
import io.imexagent.systemd.ServiceManager;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code imex-agent run}: from the configuration to SIGTERM. */
final class AgentRunner implements Runner {

    /** From the signal to the end of the process; what is left of 5 s is for the JVM. */
    private static final Duration STOP = Duration.ofMillis(4500);

    /** A start takes no longer, NVML's deadline and the lock of the claims included. */
    private static final Duration START = Duration.ofSeconds(90);

    private final ThisProcess process;
    private final String version;
    private final boolean force;

    AgentRunner(ThisProcess process, String version, boolean force) {
        this.process = process;
        this.version = version;
        this.force = force;
    }

    @Override
    public ExitCode run(EffectiveConfig effective, Supplier<LoadResult> reload) throws Exception {
        CompletableFuture<Vertx> vertx = EventLoop.begin();
        Logging.start(
                effective.config().get(ConfigKeys.LOG_LEVEL), JournalStream.onStandardError(process.environment()));
        Logger log = LoggerFactory.getLogger(AgentRunner.class);
        log.info(
                "imex-agent starting version={} node={} config={} mode={}",
                version,
                effective.config().get(ConfigKeys.NODE_NAME),
                effective.file().map(Object::toString).orElse("(none)"),
                effective.config().hostManaged() ? "host-managed" : "observe-only");
        effective.notes().forEach(log::info);
        var manager = ServiceManager.of(process.environment());
        var backoff = StartBackoff.of(process.environment());
        if (endedWhileWaiting(backoff.begin(), manager, log)) {
            backoff.forget();
            return ExitCode.OK;
        }
        var lifetime = new Lifetime(process.nanoTime());
        var agent = new RunningAgent(effective.config(), process, version, vertx, force);
        var service = new Service(manager, agent, process, backoff::forget);
        boolean stopped;
        try {
            var reloading = new Reloading(agent, reload);
            Signals.handle(lifetime::end, () -> service.reloading(reloading::run));
            if (lifetime.start(agent::start)) {
                service.started();
                lifetime.awaitEnd();
            }
            backoff.forget();
            log.info("imex-agent stopping");
        } catch (IOException refused) {
            String reason = String.valueOf(refused.getMessage());
            service.failed(reason);
            if (!manager.present()) {
                throw refused;
            }
            // Several lines for a terminal; for the journal one event is one line, with its priority.
            log.error("cannot serve reason=\"{}\"", reason);
            return ExitCode.FAILED;
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

    /** Waits where starts in a row have not lasted; tells whether a signal ended that. */
    private static boolean endedWhileWaiting(Duration pause, ServiceManager manager, Logger log)
            throws InterruptedException {
        if (pause.isZero()) {
            return false;
        }
        log.warn("starts in a row have not lasted, this one waits pause={}s", pause.toSeconds());
        manager.extendStart(pause.plus(START));
        manager.tell("waits " + pause.toSeconds() + " s: starts in a row have not lasted, see the log");
        var end = new CountDownLatch(1);
        Signals.handle(end::countDown, () -> log.info("nothing to reload while the start waits"));
        return end.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }
}
