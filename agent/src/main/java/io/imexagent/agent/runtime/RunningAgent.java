package io.imexagent.agent.runtime;

import io.imexagent.agent.check.AgentPaths;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigFault;
import io.imexagent.agent.config.EffectiveConfig;
import io.imexagent.agent.config.LoadResult;
import io.imexagent.agent.config.ReloadPlan;
import io.imexagent.agent.http.StatusPages;
import io.imexagent.agent.log.Logging;
import io.imexagent.agent.render.Documents;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.core.check.Condition;
import io.imexagent.dra.claim.Objection;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.PeerPolicy;
import io.imexagent.dra.worker.Deadline;
import io.imexagent.imex.document.InventoryDocument;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.rdma.dra.RailDriver;
import io.imexagent.rdma.rails.LeftRails;
import io.imexagent.rdma.rails.RailRules;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of a running agent in the order of their start: observing, and where HostManagedIMEX is on, serving. Stopped
 * in the reverse order, whatever has started by then.
 */
final class RunningAgent implements Part, StatusPages {

    private static final Logger LOG = LoggerFactory.getLogger(RunningAgent.class);

    private final AtomicReference<AgentConfig> config;
    private final boolean force;
    private final Observing observing;
    private final Watching watching;
    private final Optional<Serving> serving;
    private final Optional<ServingRails> rails;
    private final Deque<Part> started = new ConcurrentLinkedDeque<>();
    private volatile List<String> remarks = List.of();

    /** An agent that does nothing yet. */
    RunningAgent(
            AgentConfig config, ThisProcess process, String version, CompletableFuture<Vertx> vertx, boolean force) {
        this.force = force;
        this.config = new AtomicReference<>(config);
        this.observing = new Observing(this.config::get, process, version, vertx);
        this.watching = new Watching(observing);
        this.serving = config.hostManaged() ? Optional.of(new Serving(observing, watching, force)) : Optional.empty();
        this.rails = config.rdma().enabled() ? Optional.of(new ServingRails(observing)) : Optional.empty();
    }

    /**
     * Starts.
     *
     * @throws IOException where the agent must not, or cannot, run; the message says what to do
     */
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
                            ? "HostManagedIMEX is off: no IMEX channel is served, RDMA NICs are"
                            : "observing only: HostManagedIMEX is off, no device is served and no file of the kubelet"
                                    + " touched");
        }
        if (rails.isPresent()) {
            started.push(rails.get());
            rails.get().start();
        }
        started.push(watching);
        serving.ifPresent(Serving::tellOfImex);
        watching.start(() -> serving.ifPresent(Serving::lookedAtImex));
    }

    private void refuseToLeaveClaims() throws IOException {
        AgentConfig now = config.get();
        var file = new ModeFile(now.state().directory());
        Optional<String> objection = ModeGuard.leftBehind(
                        file,
                        AgentPaths.record(now, DriverNames.DRIVER, CheckpointFormat.PUBLIC_DRIVER),
                        observing.inventory().current().bootId())
                .map(Objection::text);
        if (objection.isPresent() && !anotherPluginListens(now)) {
            refuseUnlessForced(objection.get());
        }
    }

    /** Whether another plugin of the driver, such as the public driver's, serves this node. */
    private static boolean anotherPluginListens(AgentConfig config) {
        try {
            DraServer.refuseOthers(DraSettings.of(
                    config.kubelet().root(),
                    DriverNames.DRIVER,
                    PeerPolicy.rootAnd(config.kubelet().uid()),
                    config.deviceHealth().timeout()));
            return false;
        } catch (IOException listens) {
            return true;
        }
    }

    private void refuseToLeaveRails() throws IOException {
        Optional<Objection> objection = LeftRails.objection(
                AgentPaths.record(config.get(), RailDriver.NAME, RailRules.RECORD),
                observing.inventory().current().bootId());
        if (objection.isPresent()) {
            refuseUnlessForced(objection.get().text());
        }
    }

    private void refuseUnlessForced(String objection) throws IOException {
        if (!force) {
            throw new IOException(objection);
        }
        LOG.warn("claims are left behind by --force: {}", objection);
    }

    /** Applies what can be applied of a configuration that was loaded again, and reads the host again. */
    synchronized void reload(LoadResult loaded) {
        switch (loaded) {
            case LoadResult.Faulty(List<ConfigFault> faults) -> {
                faults.forEach(fault -> LOG.error("configuration not reloaded fault=\"{}\"", fault.text()));
                remarks = List.of("the configuration has faults, the previous one stays in force");
            }
            case LoadResult.Loaded(EffectiveConfig effective) ->
                apply(ReloadPlan.between(config.get(), effective.config()));
        }
        observing.inventory().refresh();
        rails.ifPresent(ServingRails::refresh);
    }

    private void apply(ReloadPlan plan) {
        plan.applied().forEach(change -> LOG.info("configuration reloaded change=\"{}\"", change));
        plan.needRestart()
                .forEach(change -> LOG.warn("configuration change waits for a restart change=\"{}\"", change));
        config.set(plan.config());
        Logging.change(plan.config().log().level());
        watching.follow();
        serving.ifPresent(Serving::follow);
        rails.ifPresent(ServingRails::follow);
        remarks = plan.needRestart().isEmpty()
                ? List.of()
                : List.of("waits for a restart: "
                        + plan.needRestart().stream()
                                .map(ReloadPlan.Change::key)
                                .collect(Collectors.joining(", ")));
    }

    /** Waits until the node has been read once. */
    void awaitFirstReading() throws InterruptedException {
        observing.inventory().awaitFirstReading();
    }

    /** Calls the listener with every change of the node or of nvidia-imex; it must not block. */
    void onNodeChange(Runnable listener) {
        observing.inventory().onChange(changed -> listener.run());
        watching.onChange(listener);
    }

    /** What the node is and how far the agent has come, in one line. */
    String status() {
        return StatusLine.of(
                observing.inventory().current(),
                serving.map(Serving::progress),
                Stream.concat(watching.summary().stream(), remarks.stream()).toList());
    }

    /** Whether the event loop answers within this time, and workers and readings go on. */
    boolean progresses(Duration within) {
        return observing.eventLoopAnswers(within) && liveness().stream().allMatch(Condition::holds);
    }

    @Override
    public String metrics() {
        return observing.metrics().page();
    }

    @Override
    public String inventory() {
        return Documents.json(InventoryDocument.of(observing.inventory().current(), watching.xids()));
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
        conditions.add(watching.condition());
        conditions.add(Liveness.ofObjects(observing.api().unread()));
        return conditions;
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        while (!started.isEmpty()) {
            Part part = started.pop();
            try {
                part.stop(deadline);
            } catch (RuntimeException failure) {
                LOG.warn("a part did not stop part={}", part.getClass().getSimpleName(), failure);
            }
        }
    }
}
