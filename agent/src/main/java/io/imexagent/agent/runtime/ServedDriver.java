package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.http.Condition;
import io.imexagent.agent.metrics.DriverMetrics;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.slice.DesiredPool;
import io.imexagent.dra.claim.CheckpointWatch;
import io.imexagent.dra.claim.ClaimBook;
import io.imexagent.dra.claim.ClaimGatherer;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.ClaimWords;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.ThreadTimer;
import io.imexagent.dra.kubelet.DeviceHealthSource;
import io.imexagent.dra.kubelet.DraServer;
import io.imexagent.dra.kubelet.DraSettings;
import io.imexagent.dra.kubelet.PeerPolicy;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.dra.publish.SlicePublisher;
import io.imexagent.dra.recovery.BackupPlanner;
import io.imexagent.dra.recovery.FilesProbe;
import io.imexagent.dra.recovery.Recovered;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.dra.worker.Lane;
import io.imexagent.files.FileSteps;
import io.imexagent.host.Posix;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One DRA driver that the agent serves: its claims and their files, its sockets, its slices. Drivers share nothing but
 * the process; each has a directory, a lane and a ledger of its own.
 */
final class ServedDriver {

    /** A node has a handful of claims; a queue that is longer than this is a disk that hangs. */
    private static final int QUEUE = 1024;

    /** Another process holds the lock while it writes the files of one claim; longer means that it hangs. */
    private static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

    /** At a stop, a claim that is still in work this long before the end is broken off, and its call answered so. */
    private static final Duration BREAK_OFF = Duration.ofMillis(1200);

    /** At a stop, the calls of the kubelet end this long before everything does. */
    private static final Duration CUT_OFF = Duration.ofMillis(600);

    private static final Logger LOG = LoggerFactory.getLogger(ServedDriver.class);

    private final Driver driver;
    private final Shown shown;
    private final AgentConfig first;
    private final ThisProcess process;
    private final Observing observing;
    private final PluginLock lock;
    private final Lane lane;
    private final ThreadTimer timer;
    private final ClaimBook book;
    private final Recovery recovery;
    private final ClaimService claims;
    private final FilesProbe probe;
    private final SpecReconciler reconciler;
    private final Sweeper sweeper;
    private final SlicePublisher publisher;
    private final FileHealth files = new FileHealth();
    private volatile Optional<DraServer> dra = Optional.empty();

    /**
     * What makes one driver differ from another.
     *
     * @param name the driver's name
     * @param lane the name of its lane
     * @param kind the kind of its CDI devices
     * @param format how its ledger is kept
     * @param words how people are told what its claims hold
     * @param guard judges claims that it did not prepare itself
     * @param backups judges the ledger of a backup
     * @param gatherer asks Kubernetes
     * @param rules what it makes of claims
     * @param settings the limits of prepare
     */
    record Driver(
            String name,
            String lane,
            CdiKind kind,
            CheckpointFormat format,
            ClaimWords words,
            ClaimGuard guard,
            BackupPlanner backups,
            ClaimGatherer gatherer,
            ClaimRules rules,
            PrepareSettings settings) {}

    /**
     * What is shown of a driver.
     *
     * @param wanted what it wants to publish
     * @param changes is given what to run after each change of that
     * @param health how its devices are
     * @param metrics its metrics
     */
    record Shown(
            Supplier<DesiredPool> wanted,
            Consumer<Runnable> changes,
            DeviceHealthSource health,
            DriverMetrics metrics) {}

    /** A driver that does nothing yet. */
    ServedDriver(AgentConfig first, ThisProcess process, Observing observing, Driver driver, Shown shown) {
        this.driver = driver;
        this.shown = shown;
        this.first = first;
        this.process = process;
        this.observing = observing;
        this.lock = new PluginLock(Places.lock(first, driver.name()));
        Path plugin = Places.plugin(first, driver.name());
        this.lane = new Lane(driver.lane(), QUEUE, observing.metrics().lanes(), process.nanoTime());
        this.timer = new ThreadTimer(driver.lane() + "-timer");
        var specs = new CdiDirectory(first.get(ConfigKeys.CDI_DIRECTORY), driver.kind());
        var store = new FileCheckpointStore(plugin, driver.format(), process.clock(), FileSteps.ALL_PASS);
        this.book = new ClaimBook(
                store,
                CheckpointWatch.over(store.file()),
                driver.guard(),
                specs,
                lock,
                LOCK_PATIENCE,
                process.effects());
        this.recovery = new Recovery(book, store, specs, driver.guard(), driver.backups(), plugin, driver.words());
        this.claims = new ClaimService(
                book,
                driver.gatherer(),
                driver.rules(),
                lane,
                threads(),
                timer,
                process.clock(),
                process.nanoTime(),
                driver.settings(),
                files.before(shown.metrics()));
        this.probe =
                new FilesProbe(book, store.file(), first.get(ConfigKeys.CDI_DIRECTORY), lane, timer, files::looked);
        files.onDoubt(probe::doubt);
        this.reconciler = new SpecReconciler(book, driver.rules(), lane, timer);
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
                observing.api().slices(driver.name(), first.get(ConfigKeys.NODE_NAME)),
                observing.api().nodes(),
                first.get(ConfigKeys.NODE_NAME),
                shown.wanted(),
                shown.changes(),
                shown.metrics(),
                process.clock(),
                process.random());
    }

    /** Refuses to go on beside another plugin of the driver; to be asked before anything is done to claims. */
    void refuseOthers() throws IOException {
        DraServer.refuseOthers(settings());
    }

    /**
     * Brings the claims of the last life in order.
     *
     * @throws IOException where the agent must not serve here; the message says what to do
     */
    void recover(Optional<BootId> boot) throws IOException, InterruptedException {
        switch (recovery.run(boot, driver.rules()::grant)) {
            case Recovered.Refused refused -> throw new IOException(refused.reason());
            case Recovered.Ready ready ->
                LOG.debug(
                        "claims ready driver={} count={}",
                        driver.name(),
                        ready.ledger().entries().size());
        }
    }

    /**
     * Publishes devices and listens for the kubelet, after the recovery.
     *
     * @param warmUp what the first claim would otherwise wait for
     */
    void serve(Runnable warmUp) throws IOException, InterruptedException {
        claims.start();
        reconciler.start();
        publisher.start();
        var server = new DraServer(
                settings(),
                observing.runningVertx(),
                claims,
                shown.health(),
                shown.metrics(),
                process.clock(),
                process.nanoTime());
        dra = Optional.of(server);
        server.start(warmUp);
        // A recovery that wrote has loaded it; otherwise the first claim is the first to need it.
        Posix.preload();
        shown.metrics().show(publisher::state, server::registration);
        observing.metrics().show(lane);
        probe.start();
        sweeper.start();
    }

    /** The ledger as it was saved last. */
    Ledger ledger() {
        return book.ledger();
    }

    /** Calls the listener after each change of the ledger; it must not block. */
    void onLedger(Runnable listener) {
        book.onChange(changed -> listener.run());
    }

    /** Publishes anew where that is due. */
    void wake() {
        publisher.wake();
    }

    /** What must hold for the driver to serve. */
    List<Condition> conditions() {
        return List.of(
                dra.map(server -> Readiness.registered(server.registration()))
                        .orElseGet(() -> new Condition("registered", false, "the sockets do not listen yet")),
                Readiness.published(publisher.state()),
                files.condition());
    }

    /** Where it stands with the kubelet. */
    RegistrationState registration() {
        return dra.map(DraServer::registration).orElseGet(RegistrationState.NotYet::new);
    }

    /** Its lane. */
    Lane lane() {
        return lane;
    }

    /**
     * First the kubelet is told that nobody is at home, then the claims that wait are answered and the one in work is
     * let end, then those answers have time to get out.
     */
    void stop(Deadline deadline) throws InterruptedException {
        sweeper.close();
        probe.close();
        publisher.close();
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
    }

    private DraSettings settings() {
        return DraSettings.of(
                first.get(ConfigKeys.KUBELET_ROOT),
                driver.name(),
                PeerPolicy.rootAnd(first.kubeletUid()),
                first.get(ConfigKeys.HEALTH_TIMEOUT));
    }

    private static Executor threads() {
        return task -> Thread.ofVirtual().name("claims").start(task);
    }
}
