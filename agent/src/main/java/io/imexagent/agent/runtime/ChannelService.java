package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.LocalHost;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.Condition;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.dra.driver.DriverClaims.DriverDefinition;
import io.imexagent.dra.driver.ServedDriver;
import io.imexagent.dra.driver.ServedDriver.DriverObserver;
import io.imexagent.dra.driver.SlicePublisher;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.DraSettings.PeerPolicy;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.bind.HoldWriter;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.ChannelPool;
import io.imexagent.imex.prepare.ChannelRules;
import io.imexagent.imex.prepare.ServingPolicy;
import io.imexagent.imex.prepare.UserNamespaces;
import io.imexagent.imex.prepare.UserNamespaces.PodLookupCondition;
import io.imexagent.imex.probe.ChannelNodes;
import io.imexagent.imex.probe.DeviceStat;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.imex.watch.CliqueLabel;
import io.imexagent.imex.watch.NodeEvents;
import io.imexagent.imex.watch.NodeStatusReader;
import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.kubernetes.Reviews;
import io.imexagent.kubernetes.clique.FabricObjects;
import io.imexagent.kubernetes.clique.NodeMode;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Signal;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The work of an agent under HostManagedIMEX: recovers the claims of IMEX channels, serves the kubelet, publishes
 * devices. All parts for channels that write files or change objects in the cluster are created here, with {@link
 * ServedDriver}. Only {@link ObserverReport}, the report of an agent that observes, is created elsewhere.
 */
final class ChannelService implements Lifetime.Part {

    private final Supplier<AgentConfig> config;
    private final NodeObserver observing;
    private final ImexMonitor watching;
    private final SoleAgent sole;
    private final UserNamespaces users;
    private final ServedDriver driver;
    private final CliqueLabel label;
    private final HoldWriter holds;
    private final boolean isolating;
    private final NodeEvents events;

    ChannelService(NodeObserver observing, ImexMonitor watching, boolean force) {
        this.config = observing.config;
        ThisProcess process = observing.process;
        this.sole = new SoleAgent(config.get().kubelet().plugin(DriverNames.DRIVER));
        this.observing = observing;
        this.watching = watching;
        AgentConfig first = config.get();
        ServingPolicy policy = first.servingPolicy();
        var careful = new ModeGuard(new ModeFile(first.stateDirectory()), ServingMode.of(policy.isolation()));
        this.isolating = first.bindsChannels();
        String node = first.nodeName();
        FabricObjects fabric = observing.api.fabric();
        this.holds = holds(
                observing,
                watching,
                new NodeMode.ChannelMode(policy.isolation()),
                () -> isolating || mayReport(observing.api.reviews()),
                this::wake);
        this.users = new UserNamespaces(
                observing.api.pods(),
                PodLookupCondition.of(observing.api.nodes(), node, observing.api.reviews()),
                new ChannelNodes(first.host().root(), DeviceStat.OF_FILES),
                process.nanoTime());
        this.driver = driver(
                observing,
                new ChannelRules(
                                observing.api.domains(),
                                observing.inventory,
                                policy,
                                new ChannelBinder(fabric, holds, node, policy::limits, process.random()),
                                users,
                                process.nanoTime())
                        .driver("claims", force ? careful.forced() : careful),
                PrepareSettings.answeringWithin(first.answerWithin()).gatedBy(watching::gate),
                () -> ChannelPool.desired(
                        observing.inventory.current(), config.get().servingPolicy(), taints()),
                listener -> observing.inventory.onChange(changed -> listener.run()),
                new ChannelHealth(
                        observing.inventory,
                        watching,
                        watching::complaint,
                        () -> config.get().servingPolicy(),
                        first.deviceHealth().degraded()),
                observing.metrics.channels());
        this.label = new CliqueLabel(
                observing.api.nodes(),
                first.nodeName(),
                observing.inventory,
                () -> config.get().publication().cliqueLabel(),
                observing.metrics.channels(),
                process.random(),
                new Signal());
        this.events = new NodeEvents(
                observing.api.events(),
                node,
                first.stateDirectory(),
                watching,
                () -> config.get().imex().health().nodeEvents(),
                process.clock(),
                NodeEvents.REST);
    }

    /** Creates the writer of this node's NVLinkNode, for an agent in this mode. */
    static HoldWriter holds(
            NodeObserver observing,
            ImexMonitor watching,
            NodeMode mode,
            HoldWriter.ApiCall<Boolean> granted,
            Runnable onTaint) {
        String node = observing.config.get().nodeName();
        var status = new NodeStatusReader(
                observing.inventory::current, watching::current, watching::xids, observing.process.version());
        return new HoldWriter(
                observing.api.fabric(),
                new HoldWriter.NodeSources(
                        node,
                        UUID.randomUUID().toString(),
                        observing.inventory::current,
                        () -> status.get().in(Optional.of(mode)),
                        () -> observing.api.nodes().get(node).isEmpty(),
                        granted,
                        (namespace, domain) ->
                                observing.api.domains().in(namespace, domain).map(ChannelRules::name)),
                observing.process.nanoTime(),
                observing.process.random(),
                onTaint);
    }

    static ServedDriver driver(
            NodeObserver observing,
            DriverDefinition<?> driver,
            PrepareSettings settings,
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            DeviceHealthSource health,
            DriverObserver observer) {
        AgentConfig first = observing.config.get();
        ThisProcess process = observing.process;
        KubernetesApi api = observing.api;
        String node = first.nodeName();
        var host = new ClaimHost(
                first.host().root(),
                first.kubelet().root(),
                first.kubelet().plugin(driver.name()),
                first.cdiDirectory(),
                LocalHost.LOCK_PATIENCE,
                FileSteps.ALL_PASS,
                EffectListener.NONE,
                observing.metrics,
                process.clock(),
                process.nanoTime(),
                process.random());
        var claims = new DriverClaims<>(driver, host, api.claims(), api.backgroundClaims(), settings, observer);
        observing.reports().ifPresent(claims::report);
        return new ServedDriver(
                claims,
                new DraSettings(
                        first.kubelet().root(),
                        driver.name(),
                        PeerPolicy.rootAnd(first.kubelet().uid()),
                        first.deviceHealth().timeout(),
                        DraSettings.SOCKET_CHECK),
                observing.plugins,
                new SlicePublisher(
                        api.slices(driver.name(), node),
                        api.nodes(),
                        node,
                        wanted,
                        changes,
                        observer,
                        process.clock(),
                        process.random(),
                        new Signal()),
                health,
                observer);
    }

    /**
     * Starts in this order: recovers the claims of the last run, serves the kubelet, publishes for the scheduler. A
     * failure states why the agent must not serve here, and the remedy.
     */
    void start() throws IOException, InterruptedException {
        driver.refuseOthers();
        sole.begin();
        Optional<BootId> boot = observing.inventory.current().bootId();
        RecoveryResult.RecoveryDone recovered = driver.recover(boot);
        driver.claims().prepared().onChange(holds::follow);
        observing.inventory.onChange(changed -> holds.wake());
        holds.start(recovered.ledger(), recovered.blind(), boot);
        observing.awaitListening();
        driver.serve(observing.runningVertx());
        users.start();
        observing.metrics.show(driver.claims().worker());
        if (isolating) {
            observing.metrics.showHolds(
                    () -> holds.count() - holds.kept(),
                    holds::kept,
                    holds::written,
                    () -> holds.left().size());
            observing.metrics.showConflicts(() -> holds.conflicts().size());
        }
        label.start();
    }

    void follow() {
        driver.wake();
        label.wake();
    }

    List<Condition> conditions() {
        List<Condition> conditions = new ArrayList<>(driver.conditions());
        if (isolating) {
            conditions.add(new Condition(
                    "holds",
                    holds.failure().isEmpty(),
                    holds.failure()
                            .map(why -> "the NVLinkNode is not written: " + why.message())
                            .orElse(holds.written() ? "written" : "being written")));
            List<String> conflicts = holds.conflicts();
            conditions.add(new Condition(
                    "channel-conflict",
                    conflicts.isEmpty(),
                    conflicts.isEmpty() ? "none" : String.join("; ", conflicts)));
        }
        return conditions;
    }

    /** Whether this agent may create NVLinkNodes, which only inform people if all workloads share channel 0. */
    static boolean mayReport(Reviews reviews) throws ApiException {
        return reviews.may(Reviews.AccessRule.on("create", FabricObjects.GROUP, "nvlinknodes"))
                instanceof Reviews.ReviewResult.Allowed;
    }

    /** The taints of all devices; empty if the operator wants none, so that slices reserve no room for them. */
    private Optional<List<DeviceTaint>> taints() {
        return watching.taints()
                .map(ofImex ->
                        Stream.concat(ofImex.stream(), holds.taints().stream()).toList());
    }

    private void wake() {
        driver.wake();
    }

    RegistrationState registration() {
        return driver.registration();
    }

    StatusLine.ServingStatus progress() {
        return new StatusLine.ServingStatus(
                driver.registration(),
                driver.claims().prepared().ledger().completed().size());
    }

    void reportImex() {
        events.start();
    }

    /** Reacts to a check of nvidia-imex: a taint may be due. */
    void imexChecked() {
        holds.wake();
        if (config.get().imex().health().taint()) {
            driver.wake();
        }
    }

    Worker worker() {
        return driver.claims().worker();
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        events.close();
        label.close();
        driver.stop(deadline);
        holds.close();
        sole.close();
    }
}
