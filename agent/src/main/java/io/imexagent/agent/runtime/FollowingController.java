package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ExitCode;
import io.imexagent.agent.cli.Logging;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.ReloadPlan;
import io.imexagent.agent.config.ReloadPlan.Change;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.worker.Deadline;
import io.imexagent.dra.worker.Loop;
import io.imexagent.systemd.Journal;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller that follows its configuration: it loads the file again on SIGHUP and every few seconds. One that is idle,
 * since HostManagedIMEX is off, starts again with what has changed. One that works follows the level of logging; every
 * other change waits for a restart, which is the operator's to choose, and the log and {@code /readyz} name it.
 */
final class FollowingController implements Lifetime.Part {

    /** A look costs a millisecond. */
    private static final Duration LOOK = Duration.ofSeconds(5);

    /** A file that is being written looks different a moment later: a change counts once two looks agree. */
    private static final Duration SETTLE = Duration.ofSeconds(1);

    /** What a controller goes by; the file is the same on nodes, whose keys are none of its business. */
    private static final Pattern CONCERNING =
            Pattern.compile("(controller|log|http\\.tls)\\..*|http\\.address|node\\.name"
                    + "|featureGates\\.HostManagedIMEX|imex\\.(isolation|channels)");

    private static final Logger LOG = LoggerFactory.getLogger(FollowingController.class);

    private final ThisProcess process;
    private final Supplier<LoadResult<EffectiveConfig>> load;
    private final Runnable end;
    private final Loop loop = Loop.of("configuration", this::look);
    private AgentConfig config;
    private RunningController controller;
    private String followed;
    private String seen;
    private volatile boolean failed;

    /**
     * A controller that has not started.
     *
     * @param load loads the configuration again
     * @param end ends the process; called where the controller cannot run under a configuration that has changed
     */
    FollowingController(
            EffectiveConfig effective, ThisProcess process, Supplier<LoadResult<EffectiveConfig>> load, Runnable end) {
        this.process = process;
        this.load = load;
        this.end = end;
        this.config = effective.config();
        this.controller = new RunningController(config, process);
        this.followed = text(new LoadResult.Loaded<>(effective));
        this.seen = followed;
    }

    /** {@code imex-agent controller}: from the configuration to SIGTERM. */
    static ExitCode run(ThisProcess process, EffectiveConfig effective, Supplier<LoadResult<EffectiveConfig>> load)
            throws Exception {
        Logging.start(effective.config().log().level(), Journal.readsStandardError(process.environment()));
        LOG.info(
                "imex-controller starting version={} commit={} config={} mode={} isolation={}",
                process.version(),
                process.commit(),
                effective.file().map(Object::toString).orElse("(none)"),
                effective.config().hostManaged() ? "host-managed" : "observe-only",
                effective.config().imex().isolation().map(Isolation::text).orElse("(unset)"));
        effective.notes().forEach(LOG::info);
        var lifetime = new Lifetime(process.nanoTime());
        var controller = new FollowingController(effective, process, load, lifetime::end);
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

    /** The controller that runs at present. */
    synchronized RunningController controller() {
        return controller;
    }

    /** Follows the configuration as it is now, and says so where nothing has changed. */
    synchronized void reload() {
        LoadResult<EffectiveConfig> loaded = load.get();
        try {
            if (!follow(loaded)) {
                LOG.info("configuration loaded again, nothing has changed");
            }
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        followed = text(loaded);
    }

    /** Follows what has changed in the file and has stayed so for two looks; returns when to look again. */
    synchronized Duration look() throws InterruptedException {
        LoadResult<EffectiveConfig> loaded = load.get();
        String now = text(loaded);
        if (!now.equals(followed) && now.equals(seen)) {
            followed = now;
            follow(loaded);
        }
        seen = now;
        return now.equals(followed) ? LOOK : SETTLE;
    }

    /** Whether there was anything to say. */
    private boolean follow(LoadResult<EffectiveConfig> loaded) throws InterruptedException {
        return switch (loaded) {
            case LoadResult.Faulty(List<ConfigFault> faults) -> {
                faults.forEach(fault -> LOG.error("configuration not reloaded fault=\"{}\"", fault.text()));
                yield true;
            }
            case LoadResult.Loaded(EffectiveConfig effective) -> follow(effective);
        };
    }

    private boolean follow(EffectiveConfig loaded) throws InterruptedException {
        ReloadPlan plan = ReloadPlan.between(config, loaded.config());
        List<Change> now = concerning(plan.applied());
        List<Change> later = concerning(plan.needRestart());
        now.forEach(FollowingController::tell);
        Logging.change(plan.config().log().level());
        if (controller.idle() && !later.isEmpty()) {
            later.forEach(FollowingController::tell);
            loaded.notes().forEach(LOG::info);
            startAgain(loaded.config());
        } else {
            later.forEach(change -> LOG.warn("configuration change waits for a restart change=\"{}\"", change));
            config = plan.config();
            controller.waiting(later.stream().map(Change::key).toList());
        }
        return !now.isEmpty() || !later.isEmpty();
    }

    private static void tell(Change change) {
        LOG.info("configuration reloaded change=\"{}\"", change);
    }

    private static List<Change> concerning(List<Change> changes) {
        return changes.stream()
                .filter(change -> CONCERNING.matcher(change.key()).matches())
                .toList();
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

    /** By what a configuration is known: its values and where each comes from, or its faults. */
    private static String text(LoadResult<EffectiveConfig> loaded) {
        return switch (loaded) {
            case LoadResult.Loaded(EffectiveConfig effective) -> effective.text();
            case LoadResult.Faulty(List<ConfigFault> faults) ->
                faults.stream().map(ConfigFault::text).collect(Collectors.joining("\n"));
        };
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        loop.close();
        controller().stop(deadline);
    }
}
