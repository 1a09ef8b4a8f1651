package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.Runner;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.policy.Isolation;
import io.imexagent.systemd.JournalStream;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code imex-agent controller}: from the configuration to SIGTERM.
 *
 * @param process what the process has of its own
 * @param version the program's version
 */
record ControllerRunner(ThisProcess process, String version) implements Runner {

    @Override
    public ExitCode run(EffectiveConfig effective, Supplier<LoadResult> reload) throws Exception {
        Logging.start(
                effective.config().get(ConfigKeys.LOG_LEVEL), JournalStream.onStandardError(process.environment()));
        Logger log = LoggerFactory.getLogger(ControllerRunner.class);
        log.info(
                "imex-controller starting version={} config={} mode={} isolation={}",
                version,
                effective.file().map(Object::toString).orElse("(none)"),
                effective.config().hostManaged() ? "host-managed" : "observe-only",
                effective
                        .config()
                        .find(ConfigKeys.ISOLATION)
                        .map(Isolation::text)
                        .orElse("(unset)"));
        effective.notes().forEach(log::info);
        var lifetime = new Lifetime(process.nanoTime());
        var controller = new RunningController(effective.config(), process, version);
        boolean stopped;
        try {
            // Nothing of a controller changes without a restart, but its level of logging.
            Signals.handle(lifetime::end, () -> relog(reload, log));
            if (lifetime.start(controller::start)) {
                lifetime.awaitEnd();
            }
            log.info("imex-controller stopping");
        } finally {
            stopped = lifetime.stop(controller);
        }
        log.info("imex-controller stopped");
        return stopped ? ExitCode.OK : ExitCode.FAILED;
    }

    private static void relog(Supplier<LoadResult> reload, Logger log) {
        switch (reload.get()) {
            case LoadResult.Loaded loaded ->
                Logging.change(loaded.effective().config().get(ConfigKeys.LOG_LEVEL));
            case LoadResult.Faulty faulty ->
                faulty.faults().forEach(fault -> log.error("configuration not reloaded fault=\"{}\"", fault.text()));
        }
    }
}
