package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.dra.DraServer;
import io.imexagent.agent.dra.DraSettings;
import io.imexagent.agent.dra.PeerPolicy;
import io.imexagent.agent.dra.RegistrationState;
import io.imexagent.agent.http.Condition;
import io.imexagent.agent.imex.NodeEvents;
import io.imexagent.agent.lane.Lane;
import io.imexagent.agent.log.Logging;
import io.imexagent.agent.prepare.CheckpointWatch;
import io.imexagent.agent.prepare.ClaimBook;
import io.imexagent.agent.prepare.ClaimFactsGatherer;
import io.imexagent.agent.prepare.ClaimService;
import io.imexagent.agent.prepare.FilesProbe;
import io.imexagent.agent.prepare.HaltAfterEffect;
import io.imexagent.agent.prepare.ModeGuard;
import io.imexagent.agent.prepare.OpaqueConfigDecoder;
import io.imexagent.agent.prepare.PrepareSettings;
import io.imexagent.agent.prepare.Recovered;
import io.imexagent.agent.prepare.Recovery;
import io.imexagent.agent.prepare.SpecReconciler;
import io.imexagent.agent.prepare.Sweeper;
import io.imexagent.agent.prepare.ThreadTimer;
import io.imexagent.agent.publish.CliqueLabel;
import io.imexagent.agent.publish.SlicePublisher;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.ClaimSpec;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.ModeFile;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.ServingMode;
import io.imexagent.core.policy.DriverNames;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.policy.ServingPolicy;
import io.imexagent.core.prepare.BackupPlanner;
import io.imexagent.core.prepare.DemandReader;
import io.imexagent.core.prepare.PreparePlanner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an agent does under HostManagedIMEX: recovers the claims, answers the kubelet, publishes devices. Everything that
 * writes files or changes objects in the cluster is made here and nowhere else.
 */
final class Serving implements Part {

    /** A node has a handful of claims; a queue that is longer than this is a disk that hangs. */
    private static final int CLAIMS_QUEUE = 1024;

    /** Another process holds the lock while it writes the files of one claim; longer means that it hangs. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

    /** At a stop, a claim that is still in work this long before the end is broken off, and its call answered so. */
    private static final Duration BREAK_OFF = Duration.ofMillis(1200);

    /** At a stop, the calls of the kubelet end this long before everything does. */
    private static final Duration CUT_OFF = Duration.ofMillis(600);

    private static final Logger LOG = LoggerFactory.getLogger(Serving.class);

    private final Supplier<AgentConfig> config;
    private final Observing observing;
    private final Watching watching;
    private final Lane lane;
    private final ThreadTimer timer = new ThreadTimer("claims-timer");
    private final PluginLock lock;
    private final ClaimBook book;
    private final SoleAgent sole;
    private final Recovery recovery;
    private final ClaimService claims;
    private final FilesProbe probe;
    private final SpecReconciler reconciler;
    private final Sweeper sweeper;
    private final SlicePublisher publisher;
    private final CliqueLabel label;
    private final FileHealth files = new FileHealth();
    private final ThisProcess process;
    private CompletableFuture<Boolean> rehearsal = CompletableFuture.completedFuture(true);
    private volatile Optional<DraServer> dra = Optional.empty();
    private Optional<NodeEvents> nodeEvents = Optional.empty();

    Serving(
            Supplier<AgentConfig> config,
            ThisProcess process,
            Observing observing,
            Watching watching,
            PluginLock lock,
            boolean force) {
        this.config = config;
        this.lock = lock;
        this.sole = new SoleAgent(Places.plugin(config.get()));
        this.process = process;
        this.observing = observing;
        this.watching = watching;
        AgentConfig first = config.get();
        Isolation isolation = first.imex().isolation().orElseThrow(() -> new IllegalStateException("isolation is set"));
        this.lane = new Lane("claims", CLAIMS_QUEUE, observing.metrics().lanes(), process.nanoTime());
        var specs = new CdiDirectory(first.cdi().directory(), ClaimSpec.KIND);
        var store = new FileCheckpointStore(Places.plugin(first), process.clock());
        var careful = new ModeGuard(
                new ModeFile(first.state().directory()),
                ServingMode.of(isolation).orElseThrow(() -> new IllegalStateException("isolation can be served")));
        ModeGuard guard = force ? careful.forced() : careful;
        this.book = new ClaimBook(
                store,
                CheckpointWatch.over(store.file()),
                guard,
                specs,
                lock,
                LOCK_PATIENCE,
                HaltAfterEffect.of(process.environment(), Runtime.getRuntime()::halt));
        var demands = new DemandReader(policy(first), new OpaqueConfigDecoder());
        this.recovery = new Recovery(book, store, specs, guard, new BackupPlanner(demands), Places.plugin(first));
        this.claims = new ClaimService(
                book,
                new ClaimFactsGatherer(observing.api().claims(), observing.api().domains(), demands),
                new PreparePlanner(demands),
                observing.inventory(),
                lane,
                threads(),
                timer,
                process.clock(),
                process.nanoTime(),
                PrepareSettings.answeringWithin(first.prepare().answerWithin()).gatedBy(watching::gate),
                files.before(observing.metrics().prepare()));
        this.probe = new FilesProbe(book, store.file(), first.cdi().directory(), lane, timer, files::looked);
        files.onDoubt(probe::doubt);
        this.reconciler = new SpecReconciler(book, observing.inventory(), lane, timer);
        this.sweeper = new Sweeper(
                book,
                observing.api().backgroundClaims(),
                claims::isPreparing,
                lane,
                threads(),
                timer,
                process.clock(),
                process.nanoTime());
        this.publisher = new SlicePublisher(
                observing.api().slices(DriverNames.DRIVER, first.node().name()),
                observing.api().nodes(),
                first.node().name(),
                observing.inventory(),
                () -> policy(config.get()),
                watching::taints,
                observing.metrics().publication(),
                process.clock(),
                process.random());
        this.label = new CliqueLabel(
                observing.api().nodes(),
                first.node().name(),
                observing.inventory(),
                () -> config.get().publication().cliqueLabel(),
                observing.metrics().publication(),
                process.random());
    }

    /**
     * Starts: the claims of the last life first, then what the kubelet can call, then what the scheduler sees.
     *
     * @throws IOException where the agent must not serve here; the message says what to do
     */
    void start() throws IOException, InterruptedException {
        DraServer.refuseOthers(settings());
        sole.begin();
        switch (recovery.run(observing.inventory().current())) {
            case Recovered.Refused refused -> throw new IOException(refused.reason());
            case Recovered.Ready ready ->
                LOG.debug("claims ready count={}", ready.ledger().entries().size());
        }
        rehearsal = CompletableFuture.supplyAsync(
                () -> Rehearsal.run(config.get(), process),
                task -> Thread.ofVirtual().name(Logging.REHEARSAL).start(task));
        observing.awaitListening();
        claims.start();
        reconciler.start();
        publisher.start();
        var server = server();
        dra = Optional.of(server);
        server.start(this::warm);
        observing.metrics().serving(publisher::state, server::registration, lane);
        probe.start();
        sweeper.start();
        label.start();
    }

    /** Follows a configuration that was reloaded. */
    void follow() {
        publisher.wake();
        label.wake();
    }

    /** What must hold for the node to serve. */
    List<Condition> conditions() {
        return List.of(
                dra.map(server -> Readiness.registered(server.registration()))
                        .orElseGet(() -> new Condition("registered", false, "the sockets do not listen yet")),
                Readiness.published(publisher.state()),
                files.condition());
    }

    /** How far it has come. */
    StatusLine.Serving progress() {
        return new StatusLine.Serving(
                dra.map(DraServer::registration).orElseGet(RegistrationState.NotYet::new),
                book.ledger().completed().size());
    }

    /** Begins to tell changes of nvidia-imex as Events of the Node. */
    void tellOfImex() {
        var events = new NodeEvents(
                observing.api().events(),
                config.get().node().name(),
                watching,
                () -> config.get().imex().health().nodeEvents(),
                process.clock());
        nodeEvents = Optional.of(events);
        events.start();
    }

    /** nvidia-imex was looked at: a taint may be due. */
    void lookedAtImex() {
        if (config.get().imex().health().taint()) {
            publisher.wake();
        }
    }

    /** The lane of claims. */
    Lane lane() {
        return lane;
    }

    /**
     * First the kubelet is told that nobody is at home, then the claims that wait are answered and the one in work is
     * let end, then those answers have time to get out.
     */
    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        nodeEvents.ifPresent(NodeEvents::close);
        sweeper.close();
        probe.close();
        publisher.close();
        label.close();
        if (dra.isPresent()) {
            dra.get().withdraw();
        }
        claims.stop(deadline.leaving(BREAK_OFF).left());
        lane.close();
        if (dra.isPresent()) {
            dra.get().drain(deadline.leaving(CUT_OFF).left());
        }
        timer.close();
        lock.close();
        sole.close();
    }

    private DraServer server() throws InterruptedException {
        return new DraServer(
                settings(),
                observing.runningVertx(),
                claims,
                new ChannelHealth(
                        observing.inventory(),
                        watching,
                        () -> policy(config.get()),
                        config.get().deviceHealth().degraded()),
                observing.metrics().dra(),
                process.clock(),
                process.nanoTime());
    }

    private DraSettings settings() {
        AgentConfig first = config.get();
        return DraSettings.of(
                first.kubelet().root(),
                DriverNames.DRIVER,
                PeerPolicy.rootAnd(first.kubelet().uid()),
                first.deviceHealth().timeout());
    }

    /** What the first claim would otherwise wait for: a path that has been walked. */
    private void warm() {
        try {
            rehearsal.get();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException defect) {
            LOG.warn("rehearsal failed, the first claim will be slow", defect);
        }
    }

    private static ServingPolicy policy(AgentConfig config) {
        return new ServingPolicy(
                config.node().name(),
                config.imex().isolation().orElseThrow(),
                !config.publication().withoutClique());
    }

    private static Executor threads() {
        return task -> Thread.ofVirtual().name("claims").start(task);
    }
}
