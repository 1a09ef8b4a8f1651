package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.core.check.Condition;
import io.imexagent.core.policy.Isolation;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.driver.ServedDriver;
import io.imexagent.dra.worker.Deadline;
import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.Signal;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.publish.ChannelPool;
import io.imexagent.imex.publish.CliqueLabel;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.imex.watch.NodeEvents;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What an agent does under HostManagedIMEX: recovers the claims of IMEX channels, answers the kubelet, publishes
 * devices. Everything that writes files or changes objects in the cluster is made here, with {@link ServedDriver}, and
 * nowhere else.
 */
final class Serving implements Part {

    private final Supplier<AgentConfig> config;
    private final Observing observing;
    private final Watching watching;
    private final SoleAgent sole;
    private final ServedDriver driver;
    private final CliqueLabel label;
    private final ThisProcess process;
    private Optional<NodeEvents> nodeEvents = Optional.empty();

    Serving(Supplier<AgentConfig> config, ThisProcess process, Observing observing, Watching watching, boolean force) {
        this.config = config;
        this.sole = new SoleAgent(Places.plugin(config.get()));
        this.process = process;
        this.observing = observing;
        this.watching = watching;
        AgentConfig first = config.get();
        Isolation isolation =
                first.find(ConfigKeys.ISOLATION).orElseThrow(() -> new IllegalStateException("isolation is set"));
        var careful = new ModeGuard(
                new ModeFile(first.get(ConfigKeys.STATE_DIRECTORY)),
                ServingMode.of(isolation).orElseThrow(() -> new IllegalStateException("isolation can be served")));
        this.driver = ServedDrivers.of(
                first,
                process,
                observing,
                new ChannelRules(observing.api().domains(), observing.inventory(), first.servingPolicy())
                        .driver("claims", force ? careful.forced() : careful),
                PrepareSettings.answeringWithin(first.get(ConfigKeys.ANSWER_WITHIN))
                        .gatedBy(watching::gate),
                () -> ChannelPool.desired(
                        observing.inventory().current(), config.get().servingPolicy(), watching.taints()),
                listener -> observing.inventory().onChange(changed -> listener.run()),
                new ChannelHealth(
                        observing.inventory(),
                        watching,
                        () -> config.get().servingPolicy(),
                        first.get(ConfigKeys.HEALTH_DEGRADED)),
                observing.metrics().channels());
        this.label = new CliqueLabel(
                observing.api().nodes(),
                first.get(ConfigKeys.NODE_NAME),
                observing.inventory(),
                () -> config.get().get(ConfigKeys.CLIQUE_LABEL),
                observing.metrics().channels(),
                process.random(),
                new Signal());
    }

    /**
     * Starts: the claims of the last life first, then what the kubelet can call, then what the scheduler sees.
     *
     * @throws IOException where the agent must not serve here; the message says what to do
     */
    void start() throws IOException, InterruptedException {
        driver.refuseOthers();
        sole.begin();
        driver.recover(observing.inventory().current().bootId());
        observing.awaitListening();
        driver.serve(observing.runningVertx(), () -> Rehearsal.run(config.get(), process));
        observing.metrics().show(driver.worker());
        label.start();
    }

    /** Follows a configuration that was reloaded. */
    void follow() {
        driver.wake();
        label.wake();
    }

    /** What must hold for the node to serve. */
    List<Condition> conditions() {
        return driver.conditions();
    }

    /** How far it has come. */
    StatusLine.Serving progress() {
        return new StatusLine.Serving(
                driver.registration(), driver.ledger().completed().size());
    }

    /** Begins to tell changes of nvidia-imex as Events of the Node. */
    void tellOfImex() {
        var events = new NodeEvents(
                observing.api().events(),
                config.get().get(ConfigKeys.NODE_NAME),
                watching,
                () -> config.get().imexHealth().nodeEvents(),
                process.clock(),
                NodeEvents.REST);
        nodeEvents = Optional.of(events);
        events.start();
    }

    /** nvidia-imex was looked at: a taint may be due. */
    void lookedAtImex() {
        if (config.get().imexHealth().taint()) {
            driver.wake();
        }
    }

    /** The lane of claims. */
    Lane lane() {
        return driver.worker();
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        nodeEvents.ifPresent(NodeEvents::close);
        label.close();
        driver.stop(deadline);
        sole.close();
    }
}
