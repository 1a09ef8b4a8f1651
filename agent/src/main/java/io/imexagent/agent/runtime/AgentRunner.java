package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Collaborators.Runner;
import io.imexagent.agent.cli.CommandLineTool;
import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.log.Logging;
import io.imexagent.systemd.ServiceManager;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code imex-agent run}, until SIGTERM. With {@code force} it starts although claims of another mode are prepared, and
 * as a service with a simulated NVML.
 */
record AgentRunner(ThisProcess process, boolean force) implements Runner {

    private static final String SIMULATED =
            "nvml.simulate is set, and a service would publish GPUs and channels that this host does not have; unset it, or"
                    + " add --force to the command line of the unit";

    /** The longest time of a start, including NVML's deadline and the wait for the lock of the claims. */
    private static final Duration START = Duration.ofSeconds(90);

    @Override
    public ExitCode run(AgentConfig config, Supplier<LoadResult<AgentConfig>> reload) throws Exception {
        Logging.start(
                config.logLevel(),
                config.logFormat(),
                CommandLineTool.NAME,
                Optional.of(config.nodeName()),
                process.environment());
        Logger log = LoggerFactory.getLogger(AgentRunner.class);
        // Only after logging is set up: during its initialization SLF4J buffers what other threads log, and may lose
        // it.
        CompletableFuture<Vertx> vertx = EventLoop.begin();
        log.info(
                "imex-agent starting version={} commit={} node={} config={} mode={}",
                process.version(),
                process.commit(),
                config.nodeName(),
                config.file().map(Object::toString).orElse("(none)"),
                config.hostManaged() ? "host-managed" : "observe-only");
        config.notes().forEach(log::info);
        var manager = ServiceManager.of(process.environment());
        if (config.nvml().simulate().isPresent() && process.isService() && !force) {
            manager.stopping("cannot serve: " + SIMULATED);
            return refused(log, SIMULATED, ExitCode.CONFIGURATION);
        }
        var backoff = StartBackoff.of(process.environment());
        if (endedWhileWaiting(backoff.begin(), manager, log)) {
            backoff.forget();
            return ExitCode.OK;
        }
        var lifetime = new Lifetime(process.nanoTime());
        var agent = new RunningAgent(config, process, vertx, force);
        var service = new Service(manager, agent, process, backoff::forget);
        boolean stopped;
        try {
            Signals.handle(lifetime::end, () -> service.reloading(() -> agent.reload(reload.get())));
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
            return refused(log, reason, ExitCode.FAILED);
        } finally {
            stopped = lifetime.stop(deadline -> {
                service.stopping();
                agent.stop(deadline);
            });
        }
        log.info("imex-agent stopped");
        return stopped ? ExitCode.OK : ExitCode.FAILED;
    }

    /** For the journal, logs the refusal as one line with its priority; a terminal shows several lines. */
    private static ExitCode refused(Logger log, String reason, ExitCode code) {
        log.error("cannot serve reason=\"{}\"", reason);
        return code;
    }

    /** Waits after consecutive starts that did not last; returns whether a signal ended the wait. */
    private static boolean endedWhileWaiting(Duration pause, ServiceManager manager, Logger log)
            throws InterruptedException {
        if (pause.isZero()) {
            return false;
        }
        log.warn("the last starts failed soon, this one waits pause={}s", pause.toSeconds());
        manager.extendStart(pause.plus(START));
        manager.report("waits " + pause.toSeconds() + " s: the last starts failed soon, see the log");
        var end = new CountDownLatch(1);
        Signals.handle(end::countDown, () -> log.info("nothing to reload while the start waits"));
        return end.await(pause.toMillis(), TimeUnit.MILLISECONDS);
    }
}
