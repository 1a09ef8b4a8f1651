package io.imexagent.imex.prepare;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.cdi.CdiSpec;
import io.imexagent.cdi.CdiSpecReader;
import io.imexagent.checkpoint.CheckpointFormat;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.core.check.CheckResult;
import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.policy.Isolation;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.CheckpointReader;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.DeviceReporter;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.Effect;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.dra.recovery.ClaimConfirmer;
import io.imexagent.dra.recovery.MissingRecord;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.dra.recovery.RecoveryJudge;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.dra.recovery.Sweeper;
import io.imexagent.files.FileSteps;
import io.imexagent.imex.check.CheckpointChecks;
import io.imexagent.imex.fake.FakeInventory;
import io.imexagent.imex.fake.Inventories;
import io.imexagent.imex.mode.ModeFile;
import io.imexagent.imex.mode.ModeGuard;
import io.imexagent.imex.mode.ServingMode;
import io.imexagent.imex.prepare.PreparePlanner.ChannelClaim;
import io.imexagent.kubernetes.DeviceReports;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * A node with a running agent, as far as claims go: real files and lock in a folder, Kubernetes and time in memory. A new
 * one over the same folder is the agent after a restart.
 */
public final class Node implements AutoCloseable {

    public static final Duration BUDGET = Duration.ofSeconds(45);

    public final Path kubelet;
    public final Path plugin;
    public final Path state;
    public final FakeInventory inventory;
    public final ManualClock time;
    public final FakeClaims claims;
    public final FakeDomains domains;
    public final FakeChannels channels;
    public final FileCheckpointStore store;
    public final CdiDirectory specs;
    public final PreparedClaims prepared;
    public final Worker worker;
    public final ChannelRules rules;
    public final ClaimService<ChannelClaim> service;
    public final Sweeper sweeper;
    public final ClaimConfirmer confirmer;
    public final AtomicInteger endedAsGone = new AtomicInteger();

    /** How many specs the reconcilers restored, and why they could not; empty where they could. */
    public final AtomicInteger restored = new AtomicInteger();

    public final AtomicReference<String> specFault = new AtomicReference<>("");
    public final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<SpecReconciler> reconcilers = new ArrayList<>();
    private final ClaimHost host;
    private final DriverClaims<ChannelClaim> driver;
    private final Optional<DeviceReporter> reporter;

    private Node(Builder from) {
        kubelet = from.folder.resolve("kubelet");
        plugin = from.folder.resolve("plugin");
        state = from.folder.resolve("state");
        inventory = from.inventory;
        time = from.time;
        claims = from.claims;
        domains = from.domains;
        channels = from.channels;
        store = new FileCheckpointStore(plugin, CheckpointFormat.PUBLIC_DRIVER, time, from.steps);
        specs = new CdiDirectory(from.folder.resolve("cdi"), ChannelRules.KIND, from.steps);
        Sharing sharing = from.sharing.orElse(Sharing.defaultFor(from.isolation));
        rules = new ChannelRules(
                domains,
                inventory,
                new ServingPolicy(
                        DraSpecimens.NODE,
                        from.isolation,
                        new ChannelTable.Limits(ServingPolicy.USUAL_CHANNELS, ServingPolicy.USUAL_CHANNELS),
                        sharing,
                        ServingPolicy.USUAL_PLACES,
                        false,
                        from.cliqueMissing),
                channels,
                from.users,
                time);
        host = new ClaimHost(
                from.folder.resolve("host"),
                kubelet,
                plugin,
                from.folder.resolve("cdi"),
                from.lockPatience,
                from.steps,
                from.listener,
                WorkerObserver.NONE,
                time,
                time,
                () -> 0);
        driver = new DriverClaims<>(
                rules.driver("claims", new ModeGuard(new ModeFile(state, from.steps), ServingMode.of(from.isolation))),
                host,
                claims,
                claims,
                from.settings,
                from.observer);
        prepared = driver.prepared();
        worker = driver.worker();
        service = driver.service();
        sweeper = new Sweeper(prepared, claims, service::isPreparing, worker, host);
        confirmer = new ClaimConfirmer(prepared, claims, worker, host, endedAsGone::incrementAndGet);
        service.onPrepare(confirmer::preparing);
        reporter = from.reports.map(reports -> new DeviceReporter(prepared, rules, reports, claims, host));
    }

    /** What reports devices to {@link Builder#reporting}, not started. */
    DeviceReporter reporter() {
        return reporter.orElseThrow();
    }

    /** A node whose agent has not started yet, with everything as it should be. */
    public static Builder in(Path folder) {
        return new Builder(folder);
    }

    /** What keeps the specs of this node right, not started. */
    public SpecReconciler reconciler() {
        var reconciler = new SpecReconciler(
                prepared, rules, specs, worker, restored::addAndGet, why -> specFault.set(why.orElse("")), time);
        reconcilers.add(reconciler);
        return reconciler;
    }

    /** What a check says of this node's record, before the agent starts. */
    public List<CheckResult> check() throws InterruptedException {
        return new CheckpointChecks(
                        plugin,
                        state,
                        rules.recall().policy(),
                        missing(),
                        inventory.current().bootId())
                .run();
    }

    private MissingRecord missing() {
        return new MissingRecord(specs, host.root(), kubelet, rules.driverName(), rules.recall(), claims, time);
    }

    /** Starts the agent. */
    public Node started() throws IOException, InterruptedException {
        RecoveryResult recovered = recover();
        if (recovered instanceof RecoveryResult.RecoveryRefused refused) {
            throw new AssertionError(refused.reason());
        }
        service.start();
        return this;
    }

    /** A claim as Kubernetes has it when its pod has come to this node. */
    public ClaimRef claim(String name) {
        return claim(name, DraSpecimens.status(DraSpecimens.DOMAIN));
    }

    /** A claim with this status. */
    public ClaimRef claim(String name, String status) {
        ClaimRef ref = DraSpecimens.ref(name);
        claims.put(ref, status);
        domains.serve(DraSpecimens.DOMAIN, DraSpecimens.NAMESPACE);
        return ref;
    }

    /** A claim of the ComputeDomain for a channel of its own, as a share where one is named. */
    public ClaimRef owned(String name, String domain, Optional<String> share) {
        ClaimRef ref = DraSpecimens.ref(name);
        String status = DraSpecimens.status(DraSpecimens.channelConfig(domain, "Single"), ServingPolicy.CHANNEL);
        String device = "\"device\":\"" + ServingPolicy.CHANNEL + "\"";
        claims.put(
                ref,
                share.map(id -> status.replace(device, device + ",\"shareID\":\"" + id + "\""))
                        .orElse(status));
        domains.serve(domain, DraSpecimens.NAMESPACE);
        return ref;
    }

    /** Begins to prepare the claim. */
    public CompletableFuture<Outcome<Prepared>> begin(ClaimRef ref) {
        return begin(ref, BUDGET);
    }

    /** Begins to prepare the claim for a caller that waits so long. */
    public CompletableFuture<Outcome<Prepared>> begin(ClaimRef ref, Duration remaining) {
        var answers = service.prepare(List.of(DraSpecimens.request(ref)), remaining);
        return CompletableFuture.supplyAsync(() -> only(ref, answers.get()), threads);
    }

    /** Prepares the claim. */
    public Outcome<Prepared> prepare(ClaimRef ref) throws Exception {
        return begin(ref).get(60, TimeUnit.SECONDS);
    }

    /** Begins to unprepare the claim. */
    public CompletableFuture<Outcome<Unprepared>> end(ClaimRef ref) {
        var answers = service.unprepare(List.of(DraSpecimens.request(ref)));
        return CompletableFuture.supplyAsync(() -> only(ref, answers.get()), threads);
    }

    /** Unprepares the claim. */
    public Outcome<Unprepared> unprepare(ClaimRef ref) throws Exception {
        return end(ref).get(60, TimeUnit.SECONDS);
    }

    private static <A> A only(ClaimRef ref, Map<String, A> answers) {
        if (!answers.keySet().equals(Set.of(ref.uid().value()))) {
            throw new AssertionError("asked for " + ref + ", answered " + answers);
        }
        return answers.values().iterator().next();
    }

    /** What stands in the checkpoint file. */
    public Ledger saved() throws IOException {
        return CheckpointReader.read(store.file(), CheckpointFormat.PUBLIC_DRIVER)
                .filter(found -> found.file().equals(store.file()))
                .orElseThrow(() -> new AssertionError("no checkpoint"))
                .ledger();
    }

    /** The claim's entry in the checkpoint file. */
    public Optional<ClaimEntry> saved(ClaimRef ref) throws IOException {
        return saved().entry(ref.uid());
    }

    /** The claim's CDI spec. */
    public Optional<CdiSpec> spec(ClaimRef ref) throws IOException {
        return CdiSpecReader.read(specs, ref.uid());
    }

    /** Writes a ledger in place of the checkpoint, as an earlier life would have left it. */
    public void checkpoint(Ledger ledger) throws IOException {
        Files.createDirectories(plugin);
        store.save(ledger);
    }

    /** Records the entry, as a prepare does. */
    void write(ClaimEntry entry) throws Exception {
        var written = worker.submit(() -> prepared.locked(session -> {
            session.run(List.of(new Effect.RecordEntry(entry)));
            return true;
        }));
        written.get(60, TimeUnit.SECONDS);
    }

    /** Recovers over what the node has at this moment. */
    public RecoveryResult recover() throws IOException, InterruptedException {
        return driver.recover(inventory.current().bootId());
    }

    /** Recovers with specs that these effects make. */
    public RecoveryResult recovery(Function<ClaimEntry.Completed, List<Effect>> spec)
            throws IOException, InterruptedException {
        var guard = new ModeGuard(new ModeFile(state), ServingMode.HOST_MANAGED_NONE);
        var judge = new RecoveryJudge(specs, guard, rules::promise, ChannelRules.WORDS);
        return new Recovery(prepared, store, judge, missing(), plugin, spec)
                .run(inventory.current().bootId());
    }

    /** Writes the spec of a claim with channel 0, as an earlier life would have left it. */
    public void spec(ClaimRef ref, int major) throws IOException {
        specs.ensure(ref.uid(), PreparePlanner.edits(ref.uid(), List.of(new ChannelId(0)), major));
    }

    @Override
    public void close() {
        reporter.ifPresent(DeviceReporter::close);
        reconcilers.forEach(SpecReconciler::close);
        driver.close();
        threads.shutdownNow();
    }

    /** A node to be. */
    public static final class Builder {

        private final Path folder;
        private FakeInventory inventory = new FakeInventory(Inventories.gb200());
        private ManualClock time = new ManualClock();
        private FakeClaims claims = new FakeClaims();
        private FakeDomains domains = new FakeDomains();
        private FakeChannels channels = new FakeChannels();
        private UserNamespaces users = FakePods.UNREAD;
        private FileSteps steps = FileSteps.ALL_PASS;
        private EffectListener listener = EffectListener.NONE;
        private PrepareObserver observer = new PrepareObserver() {};
        private PrepareSettings settings = PrepareSettings.answeringWithin(Duration.ofSeconds(30));
        private Isolation isolation = Isolation.NONE;
        private CliqueMissing cliqueMissing = CliqueMissing.REFUSE;
        private Optional<Sharing> sharing = Optional.empty();
        private Optional<DeviceReports> reports = Optional.empty();
        private Duration lockPatience = Duration.ofMillis(200);

        private Builder(Path folder) {
            this.folder = folder;
        }

        /** With the same Kubernetes, host and time as another. */
        public Builder like(Node other) {
            inventory = other.inventory;
            time = other.time;
            claims = other.claims;
            domains = other.domains;
            channels = other.channels;
            return this;
        }

        public Builder with(FileSteps seam) {
            steps = seam;
            return this;
        }

        public Builder with(EffectListener seam) {
            listener = seam;
            return this;
        }

        public Builder with(PrepareObserver seam) {
            observer = seam;
            return this;
        }

        public Builder with(PrepareSettings limits) {
            settings = limits;
            return this;
        }

        public Builder with(Isolation kept) {
            isolation = kept;
            return this;
        }

        public Builder with(CliqueMissing chosen) {
            cliqueMissing = chosen;
            return this;
        }

        /** With devices that are reported there. */
        Builder reporting(DeviceReports told) {
            reports = Optional.of(told);
            return this;
        }

        public Builder with(UserNamespaces looked) {
            users = looked;
            return this;
        }

        public Builder with(Sharing chosen) {
            sharing = Optional.of(chosen);
            return this;
        }

        /** With an agent that waits so long for the lock. */
        public Builder waitingForTheLock(Duration patience) {
            lockPatience = patience;
            return this;
        }

        /** The node, its agent not started. */
        public Node build() {
            return new Node(this);
        }

        /** The node, its agent started. */
        public Node start() throws IOException, InterruptedException {
            return build().started();
        }
    }
}
