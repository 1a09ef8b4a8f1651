package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.ReloadPlan;
import io.imexagent.core.policy.Isolation;
import io.imexagent.log.Logging;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Loop;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller that follows its configuration: it loads the file again on SIGHUP and every few seconds. One that is idle,
 * since HostManagedIMEX is off, starts again with what has changed. One that works follows the level of logging; every
 * other change waits for a restart, which the operator chooses; the log and {@code /readyz} name it.
 */
final class FollowingController implements Lifetime.Part {

    /** Loading takes a millisecond. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    /** A change counts once two loads agree: a file that is being written differs a moment later. */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    /** The keys that a controller uses; the file is the same on nodes, and has theirs too. */
    private static final Predicate<String> CONCERNING = Pattern.compile(
                    "(controller|log|http\\.tls)\\..*|http\\.address|node\\.name"
                            + "|featureGates\\.HostManagedIMEX|imex\\.(isolation|channels)")
            .asMatchPredicate();

    private static final Logger LOG = LoggerFactory.getLogger(FollowingController.class);

    private final ThisProcess process;
    private final Supplier<LoadResult<AgentConfig>> load;
    private final Runnable end;
    private final Loop loop = Loop.of("configuration", this::check);
    private AgentConfig config;
    private RunningController controller;
    private LoadResult<AgentConfig> followed;
    private LoadResult<AgentConfig> seen;
    private volatile boolean failed;

    /** A controller that has not started; it ends the process where it cannot run under what was loaded again. */
    FollowingController(AgentConfig config, ThisProcess process, Supplier<LoadResult<AgentConfig>> load, Runnable end) {
        this.process = process;
        this.load = load;
        this.end = end;
        this.config = config;
        this.controller = new RunningController(config, process);
        this.followed = new LoadResult.LoadedConfig<>(config);
        this.seen = followed;
    }

    /** {@code imex-agent controller}: from the configuration to SIGTERM. */
    static ExitCode run(ThisProcess process, AgentConfig config, Supplier<LoadResult<AgentConfig>> load)
            throws Exception {
        Logging.start(
                config.logLevel(), config.logFormat(), "imex-controller", Optional.empty(), process.environment());
        LOG.info(
                "imex-controller starting version={} commit={} config={} mode={} isolation={}",
                process.version(),
                process.commit(),
                config.file().map(Object::toString).orElse("(none)"),
                config.hostManaged() ? "host-managed" : "observe-only",
                config.imex().isolation().map(Isolation::text).orElse("(unset)"));
        config.notes().forEach(LOG::info);
        var lifetime = new Lifetime(process.nanoTime());
        var controller = new FollowingController(config, process, load, lifetime::end);
        boolean stopped;
        try {
            Signals.handle(lifetime::end, controller::reload);
            if (lifetime.start(controller::start)) {
                lifetime.awaitEnd();
            }
            LOG.info("imex-controller stopping");
        } finally {
            stopped = lifetime.stop(controller);
        }
        LOG.info("imex-controller stopped");
        return stopped && !controller.failed ? ExitCode.OK : ExitCode.FAILED;
    }

    void start() throws IOException, InterruptedException {
        controller().start();
        loop.start();
    }

    synchronized RunningController controller() {
        return controller;
    }

    /** Follows the configuration as it is now, and says so where nothing has changed. */
    synchronized void reload() {
        LoadResult<AgentConfig> loaded = load.get();
        try {
            if (!follow(loaded)) {
                LOG.info("configuration loaded again, nothing has changed");
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        followed = loaded;
    }

    /** Follows what has changed in the file and has stayed so for two looks; returns when to look again. */
    synchronized Duration check() throws InterruptedException {
        LoadResult<AgentConfig> now = load.get();
        if (!now.equals(followed) && now.equals(seen)) {
            followed = now;
            follow(now);
        }
        seen = now;
        return now.equals(followed) ? LOOK : SETTLE;
    }

    /** Whether anything was logged. */
    private boolean follow(LoadResult<AgentConfig> loaded) throws InterruptedException {
        return switch (loaded) {
            case LoadResult.FaultyConfig(List<ConfigFault> faults) -> {
                ReloadPlan.logRefused(faults, LOG);
                yield true;
            }
            case LoadResult.LoadedConfig(AgentConfig changed) -> follow(changed);
        };
    }

    private boolean follow(AgentConfig changed) throws InterruptedException {
        ReloadPlan plan = ReloadPlan.between(config, changed, CONCERNING);
        boolean again = controller.idle() && !plan.needRestart().isEmpty();
        boolean any = (again ? plan.atOnce() : plan).log(LOG);
        Logging.change(plan.config().logLevel());
        if (again) {
            changed.notes().forEach(LOG::info);
            startAgain(changed);
        } else {
            config = plan.config();
            controller.waiting(plan.waiting());
        }
        return any;
    }

    private void startAgain(AgentConfig changed) throws InterruptedException {
        controller.stop(Deadline.in(Lifetime.STOP, process.nanoTime()));
        config = changed;
        controller = new RunningController(config, process);
        try {
            controller.start();
        } catch (IOException refused) {
            LOG.error("the controller ends: it cannot start with this change reason=\"{}\"", refused.getMessage());
            failed = true;
            end.run();
        }
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        loop.close();
        controller().stop(deadline);
    }
}
