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
 * A controller that follows its configuration: it reloads the file on SIGHUP and every few seconds. A controller that
 * is idle, since HostManagedIMEX is off, starts again with the changes. A working controller applies only the log
 * level; every other change waits until the operator restarts it, and the log and {@code /readyz} name the change.
 */
final class FollowingController implements Lifetime.Part {

    /** The interval of reloads; one takes a millisecond. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    /** The time after which a second load must agree, since a file that is being written still changes. */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    /** The keys that a controller uses; nodes may have the same file, with further keys. */
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

    /** Creates a controller without starting it; {@code end} is run if it cannot start with a changed configuration. */
    FollowingController(AgentConfig config, ThisProcess process, Supplier<LoadResult<AgentConfig>> load, Runnable end) {
        this.process = process;
        this.load = load;
        this.end = end;
        this.config = config;
        this.controller = new RunningController(config, process);
        this.followed = new LoadResult.LoadedConfig<>(config);
        this.seen = followed;
    }

    /** Runs {@code imex-agent controller} until SIGTERM. */
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

    /** Applies the present configuration, and logs if nothing has changed. */
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

    /** Applies changes of the file that two consecutive loads agree on; returns the time until the next load. */
    synchronized Duration check() throws InterruptedException {
        LoadResult<AgentConfig> now = load.get();
        if (!now.equals(followed) && now.equals(seen)) {
            followed = now;
            follow(now);
        }
        seen = now;
        return now.equals(followed) ? LOOK : SETTLE;
    }

    /** Applies a configuration; returns whether anything was logged. */
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
