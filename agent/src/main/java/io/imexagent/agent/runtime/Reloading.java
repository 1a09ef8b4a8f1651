package io.imexagent.agent.runtime;

import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.ReloadPlan;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** SIGHUP: reads the configuration again, applies what can be applied, tells what cannot, and reads the host again. */
final class Reloading {

    private static final Logger LOG = LoggerFactory.getLogger(Reloading.class);

    private final RunningAgent agent;
    private final Supplier<LoadResult> load;

    Reloading(RunningAgent agent, Supplier<LoadResult> load) {
        this.agent = agent;
        this.load = load;
    }

    /** Reloads; a faulty configuration changes nothing. */
    synchronized void run() {
        switch (load.get()) {
            case LoadResult.Faulty faulty -> {
                faulty.faults().forEach(fault -> LOG.error("configuration not reloaded fault=\"{}\"", fault.text()));
                agent.remark(List.of("the configuration has faults, the one before is in force"));
            }
            case LoadResult.Loaded loaded -> {
                ReloadPlan plan =
                        ReloadPlan.between(agent.config(), loaded.effective().config());
                plan.applied().forEach(change -> LOG.info("configuration reloaded change=\"{}\"", change));
                plan.needRestart()
                        .forEach(change -> LOG.warn("configuration change waits for a restart change=\"{}\"", change));
                agent.apply(plan.config());
                agent.remark(
                        plan.needRestart().isEmpty()
                                ? List.of()
                                : List.of("waits for a restart: "
                                        + plan.needRestart().stream()
                                                .map(ReloadPlan.Change::key)
                                                .collect(Collectors.joining(", "))));
            }
        }
        agent.refresh();
    }
}
