package io.imexagent.dra.driver;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiKind;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.check.Condition;
import io.imexagent.core.ledger.BootId;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimRules;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.ClaimTerms;
import io.imexagent.dra.claim.DeviceReporter;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.recovery.ClaimConfirmer;
import io.imexagent.dra.recovery.FilesProbe;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.dra.recovery.RecoveryJudge;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.kubernetes.Claims;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Wires the claims of one driver on this node: recovery, prepare, unprepare, and the loops that maintain them. */
public final class DriverClaims<D> implements AutoCloseable {

    /** The capacity of the queue: a node has few claims, so a longer queue means a disk that hangs. */
    private static final int QUEUE = 1024;

    private final ClaimHost host;
    private final PluginLock lock;
    private final Worker worker;
    private final PreparedClaims prepared;
    private final Recovery recovery;
    private final ClaimService<D> service;
    private final SpecReconciler reconciler;
    private final ClaimConfirmer confirmer;
    private final FilesProbe probe;
    private final ClaimRules<D> rules;
    private final Claims background;
    private final List<Loop> loops;

    /** Creates the parts; nothing runs yet. Background requests to the API server delay no call. */
    public DriverClaims(
            DriverDefinition<D> driver,
            ClaimHost host,
            Claims api,
            Claims background,
            PrepareSettings settings,
            PrepareObserver observer) {
        this.host = host;
        this.lock = new PluginLock(host.plugin().resolve(ClaimHost.LOCK));
        this.worker = new Worker(driver.worker(), QUEUE, host.workers(), host.nanoTime());
        var specs = new CdiDirectory(host.specs(), driver.kind(), host.steps());
        var store = new FileCheckpointStore(host.plugin(), driver.format(), host.clock(), host.steps());
        this.prepared = new PreparedClaims(store, driver.guard(), specs, lock, host.lockPatience(), host.effects());
        this.recovery = new Recovery(
                prepared,
                store,
                new RecoveryJudge(specs, driver.guard(), driver.rules()::promise, driver.words()),
                new MissingRecord(
                        specs,
                        host.root(),
                        host.kubeletRoot(),
                        driver.name(),
                        driver.rules().recall(),
                        api,
                        host.clock()),
                host.plugin(),
                driver.rules()::spec);
        this.service = new ClaimService<>(prepared, api, driver.rules(), worker, host, settings, observer);
        var sweeper = new Sweeper(prepared, background, service::isPreparing, worker, host);
        this.confirmer = new ClaimConfirmer(prepared, background, worker, host, observer::endedAsGone);
        service.onPrepare(confirmer::preparing);
        this.probe = new FilesProbe(prepared, store.file(), host.specs(), worker);
        service.onFailedFiles(probe::doubt);
        this.reconciler = new SpecReconciler(
                prepared, driver.rules(), specs, worker, observer::restoredSpecs, probe::specs, host.nanoTime());
        this.rules = driver.rules();
        this.background = background;
        this.loops = new ArrayList<>(List.of(probe, sweeper, confirmer));
    }

    /** Adds the report of prepared devices to the API server. Called before the recovery. */
    public void report(DeviceReports reports) {
        loops.add(new DeviceReporter(prepared, rules, reports, background, host));
    }

    /** Recovers the claims of the agent's last run, see {@link Recovery#run}. Called once, before anything else. */
    public RecoveryResult recover(Optional<BootId> boot) throws IOException, InterruptedException {
        return recovery.run(boot);
    }

    /** Starts to follow the ledger and the node, after the recovery and before the first call. */
    public void start() {
        service.start();
        reconciler.start();
    }

    /** Starts the maintenance of files and of stale claims, once the kubelet can call. */
    public void watch() {
        loops.forEach(Loop::start);
        reconciler.watch();
    }

    /** Called when a kubelet registers that may not know the claims prepared here. Never blocks. */
    void kubeletCame() {
        confirmer.kubeletCame();
    }

    ClaimHost host() {
        return host;
    }

    public ClaimService<D> service() {
        return service;
    }

    public PreparedClaims prepared() {
        return prepared;
    }

    public Worker worker() {
        return worker;
    }

    /** Whether the files of claims are writable. */
    public Condition filesCondition() {
        return probe.condition();
    }

    void leaveAlone() {
        loops.reversed().forEach(Loop::close);
        reconciler.close();
    }

    /** Answers the waiting claims, and waits at most this long for the one in progress. */
    void stop(Duration atMost) throws InterruptedException {
        service.stop(atMost);
        worker.close();
    }

    @Override
    public void close() {
        leaveAlone();
        worker.close();
        lock.close();
    }

    /** What makes a driver: the name of its worker, its words, and the guard of claims that it did not prepare. */
    public record DriverDefinition<D>(
            String worker,
            CdiKind kind,
            CheckpointFormat format,
            ClaimTerms words,
            ClaimGuard guard,
            ClaimRules<D> rules) {

        public String name() {
            return rules.driverName();
        }
    }
}
