package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Documents;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.ReloadPlan;
import io.imexagent.agent.http.PageReply;
import io.imexagent.agent.http.StatusServer.StatusPages;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.check.Condition;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.probe.InventoryDocument;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.log.Logging;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import io.imexagent.rdma.report.RailRecordCheck;
import io.imexagent.worker.Deadline;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of a running agent in the order of their start; what has started is stopped in the reverse order. */
final class RunningAgent implements Lifetime.Part, StatusPages {

    private static final Logger LOG = LoggerFactory.getLogger(RunningAgent.class);

    private final AtomicReference<AgentConfig> config;
    private final boolean force;
    private final NodeObserver observing;
    private final ImexMonitor watching;
    private final Optional<ChannelService> serving;
    private final Optional<ObserverReport> observed;
    private final Optional<RailService> rails;
    private final KubeletRootWatch kubelet;
    private final Deque<Lifetime.Part> started = new ConcurrentLinkedDeque<>();
    private volatile List<String> remarks = List.of();

    RunningAgent(AgentConfig config, ThisProcess process, CompletableFuture<Vertx> vertx, boolean force)
            throws InterruptedException {
        this.force = force;
        this.config = new AtomicReference<>(config);
        this.observing = new NodeObserver(this.config::get, process, vertx);
        this.watching = new ImexMonitor(observing);
        this.serving =
                config.hostManaged() ? Optional.of(new ChannelService(observing, watching, force)) : Optional.empty();
        this.observed = serving.isEmpty() ? Optional.of(new ObserverReport(observing, watching)) : Optional.empty();
        this.rails = config.rdma().enabled() ? Optional.of(new RailService(observing)) : Optional.empty();
        this.kubelet =
                new KubeletRootWatch(config.kubeletUnits(), config.kubelet().root(), this::isRegistered);
    }

    /** Starts the parts; a failure states why the agent must not or cannot run, and the remedy. */
    void start() throws IOException, InterruptedException {
        started.push(observing);
        observing.start();
        observing.listen(this);
        if (rails.isEmpty()) {
            refuseToLeaveRails();
        }
        if (serving.isPresent()) {
            started.push(serving.get());
            serving.get().start();
        } else {
            refuseToLeaveClaims();
            observing.awaitListening();
            LOG.info(
                    rails.isPresent()
                            ? "HostManagedIMEX is off: only RDMA NICs are served, no IMEX channels"
                            : "observing only: HostManagedIMEX is off, the agent serves no device and touches no file"
                                    + " of the kubelet");
        }
        if (rails.isPresent()) {
            started.push(rails.get());
            rails.get().start();
        }
        if (observed.isPresent()) {
            started.push(observed.get());
            observed.get().start();
        }
        if (serves()) {
            started.push(kubelet);
            kubelet.start();
        }
        started.push(watching);
        serving.ifPresent(ChannelService::reportImex);
        watching.start(() -> {
            serving.ifPresent(ChannelService::imexChecked);
            observed.ifPresent(ObserverReport::wake);
        });
    }

    private boolean serves() {
        return serving.isPresent() || rails.isPresent();
    }

    /** Whether a kubelet has registered one of the drivers. */
    private boolean isRegistered() {
        return Stream.concat(
                        serving.map(ChannelService::registration).stream(),
                        rails.map(RailService::registration).stream())
                .anyMatch(RegistrationState.RegistrationDone.class::isInstance);
    }

    private void refuseToLeaveClaims() throws IOException, InterruptedException {
        AgentConfig now = config.get();
        Path record = now.kubelet().plugin(DriverNames.DRIVER).resolve(CheckpointFormat.PUBLIC_DRIVER.fileName());
        Optional<Objection> left = ModeGuard.leftBehind(
                new ModeFile(now.stateDirectory()),
                record,
                observing.inventory.current().bootId());
        refuseUnlessForced(left.isPresent() && anotherPluginListens() ? Optional.empty() : left);
    }

    /** Whether another plugin of the driver, such as the public driver's, serves this node. */
    private boolean anotherPluginListens() throws IOException, InterruptedException {
        return DraServer.otherPlugin(DriverNames.DRIVER, observing.plugins).isPresent();
    }

    private void refuseToLeaveRails() throws IOException {
        refuseUnlessForced(RailRecordCheck.objection(
                config.get().kubelet().plugin(RailDriver.NAME).resolve(RailRules.RECORD.fileName()),
                observing.inventory.current().bootId()));
    }

    private void refuseUnlessForced(Optional<Objection> objection) throws IOException {
        if (objection.isPresent() && !force) {
            throw new IOException(objection.get().text());
        }
        objection.ifPresent(given -> LOG.warn("claims are left behind by --force: {}", given.text()));
    }

    /** Applies the reloadable changes of a reloaded configuration, and reads the host again. */
    synchronized void reload(LoadResult<AgentConfig> loaded) {
        switch (loaded) {
            case LoadResult.FaultyConfig(List<ConfigFault> faults) -> {
                ReloadPlan.logRefused(faults, LOG);
                remarks = List.of("the configuration has faults, the previous one stays in force");
            }
            case LoadResult.LoadedConfig(AgentConfig changed) ->
                apply(ReloadPlan.between(config.get(), changed, key -> true));
        }
        observing.inventory.wake();
        rails.ifPresent(RailService::refresh);
    }

    private void apply(ReloadPlan plan) {
        if (!plan.log(LOG)) {
            LOG.info("configuration loaded again, nothing has changed; the node is read again");
        }
        config.set(plan.config());
        Logging.change(plan.config().logLevel());
        watching.follow();
        serving.ifPresent(ChannelService::follow);
        rails.ifPresent(RailService::follow);
        remarks = plan.waiting().isEmpty()
                ? List.of()
                : List.of("waits for a restart: " + String.join(", ", plan.waiting()));
    }

    void awaitFirstReading() throws InterruptedException {
        observing.inventory.awaitFirstReading();
    }

    /** Calls the listener with every change of the node or of nvidia-imex; it must not block. */
    void onNodeChange(Runnable listener) {
        observing.inventory.onChange(changed -> listener.run());
        watching.onChange(listener);
    }

    /** The state of the node and of the agent, in one line. */
    String status() {
        return StatusLine.of(
                observing.inventory.current(),
                serving.map(ChannelService::progress),
                Stream.concat(watching.summary().stream(), remarks.stream()).toList());
    }

    /** Whether the event loop runs a task within this time, and all conditions of liveness hold. */
    boolean progresses(Duration within) {
        return EventLoop.answers(observing.vertx, within) && liveness().stream().allMatch(Condition::holds);
    }

    @Override
    public String metrics() {
        return observing.metrics.page();
    }

    @Override
    public List<String> documents() {
        return List.of("/inventory");
    }

    @Override
    public PageReply document(String path) {
        NodeInventory inventory = observing.inventory.current();
        return PageReply.json(Documents.json(inventory.takenAt(), InventoryDocument.of(inventory, watching.xids())));
    }

    @Override
    public List<Condition> liveness() {
        var conditions = new ArrayList<Condition>();
        conditions.add(observing.reading());
        serving.ifPresent(part -> conditions.add(Liveness.of(part.worker())));
        rails.ifPresent(part -> conditions.add(Liveness.of(part.worker())));
        return conditions;
    }

    @Override
    public List<Condition> readiness() {
        var conditions = new ArrayList<Condition>();
        conditions.add(observing.reading());
        serving.ifPresent(part -> conditions.addAll(part.conditions()));
        rails.ifPresent(part -> conditions.addAll(part.conditions()));
        if (serves()) {
            conditions.add(kubelet.condition());
        }
        conditions.add(watching.condition());
        conditions.add(Liveness.ofObjects(observing.api.unread()));
        return conditions;
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        while (!started.isEmpty()) {
            Lifetime.Part part = started.pop();
            try {
                part.stop(deadline);
            } catch (RuntimeException failure) {
                LOG.warn("a part did not stop part={}", part.getClass().getSimpleName(), failure);
            }
        }
    }
}
