package io.imexagent.rdma.rails;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.CheckpointWatch;
import io.imexagent.dra.claim.ClaimBook;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimService;
import io.imexagent.dra.claim.EffectListener;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.ManualTimer;
import io.imexagent.dra.claim.PrepareAnswer;
import io.imexagent.dra.claim.PrepareObserver;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.Specimens;
import io.imexagent.dra.claim.UnprepareAnswer;
import io.imexagent.dra.claim.Waiting;
import io.imexagent.dra.recovery.BackupPlanner;
import io.imexagent.dra.recovery.Recovered;
import io.imexagent.dra.recovery.Recovery;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.LaneObserver;
import io.imexagent.files.FileSteps;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.RdmaObserver;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RdmaView;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.rdma.watch.ToldAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A GB200 tray with a running agent, as far as claims for rails go: real files, host files and lock in a folder,
 * Kubernetes in memory. A new one over the same folder is the agent after a restart.
 */
public final class RailsNode implements AutoCloseable {

    private static final Duration LONG = Duration.ofSeconds(20);

    public final RdmaTree tray;
    public final FileCheckpointStore store;
    public final CdiDirectory specs;
    private final FakeClaims claims = new FakeClaims();
    private final ManualTimer time = new ManualTimer();
    private final PluginLock lock;
    private final Lane lane;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final RdmaWatch watch;
    private final RailRules rules;
    private final ClaimBook book;
    private final ClaimService service;
    private final Recovery recovery;
    private final BootId boot;

    private RailsNode(Builder from) {
        boot = from.boot;
        tray = RdmaTree.gb200(from.folder.resolve("host"));
        Path plugin = from.folder.resolve("plugin");
        var files = new RootedFiles(tray.root());
        watch = new RdmaWatch(
                new RdmaReader(files, Clock.systemUTC()),
                tray::gpus,
                from.addresses,
                () -> Settings.OFF,
                () -> Duration.ofSeconds(30),
                new RdmaObserver() {
                    @Override
                    public void read(RdmaView view, Duration took) {}

                    @Override
                    public void failed() {}
                },
                System::nanoTime);
        var runtime = new RuntimeProbe(() -> from.runtime, from.hook);
        rules = new RailRules(watch, () -> Settings.OFF, Specimens.NODE, files, runtime);
        store = new FileCheckpointStore(plugin, RailRules.RECORD, time, FileSteps.ALL_PASS);
        specs = new CdiDirectory(from.folder.resolve("cdi"), RailRules.KIND);
        lock = new PluginLock(plugin.resolve("pu.lock"));
        book = new ClaimBook(
                store,
                CheckpointWatch.over(store.file()),
                ClaimGuard.NONE,
                specs,
                lock,
                Duration.ofMillis(200),
                from.listener);
        lane = new Lane("rails", 256, LaneObserver.NONE, System::nanoTime);
        service = new ClaimService(
                book,
                new RailFactsGatherer(claims, (namespace, name) -> from.pod, Specimens.NODE, runtime),
                rules,
                lane,
                threads,
                time,
                time,
                time,
                PrepareSettings.answeringWithin(Duration.ofSeconds(40)),
                PrepareObserver.NONE);
        recovery = new Recovery(
                book,
                store,
                specs,
                ClaimGuard.NONE,
                new BackupPlanner(RailRules.promise(Specimens.NODE)),
                plugin,
                RailRules.WORDS);
    }

    /** A node whose agent has not started yet. */
    public static Builder in(Path folder) {
        return new Builder(folder);
    }

    /** What a node is made of. */
    public static final class Builder {

        private final Path folder;
        private EffectListener listener = EffectListener.NONE;
        private BootId boot = new BootId("boot");
        private Supplier<ToldAddresses> addresses =
                () -> new ToldAddresses.Known(Set.of(InetAddress.ofLiteral("192.0.2.7")));
        private Optional<Path> runtime = Optional.empty();
        private ArpHook hook = ArpHook.INSTALLED;
        private Optional<Pods.PodObject> pod = Optional.empty();

        private Builder(Path folder) {
            this.folder = folder;
        }

        public Builder with(EffectListener told) {
            listener = told;
            return this;
        }

        public Builder booted(BootId id) {
            boot = id;
            return this;
        }

        /** With what the cluster tells of the node's addresses. */
        public Builder told(Supplier<ToldAddresses> answers) {
            addresses = answers;
            return this;
        }

        /** With a container runtime that moves interfaces, and this pod. */
        public Builder moving(Path program, ArpHook arp, Pods.PodObject one) {
            runtime = Optional.of(program);
            hook = arp;
            pod = Optional.of(one);
            return this;
        }

        public RailsNode start() throws Exception {
            var node = new RailsNode(this);
            node.watch.start();
            Waiting.eventually("the first reading", () -> node.watch.current().isPresent());
            if (node.recovery.run(Optional.of(node.boot), node.rules::grant) instanceof Recovered.Refused refused) {
                throw new AssertionError(refused.reason());
            }
            node.service.start();
            return node;
        }
    }

    /** Puts a claim there to which these devices are allocated. */
    public ClaimRef claim(String name, String... devices) {
        ClaimRef ref = Specimens.ref(name);
        claims.put(
                ref,
                "{\"allocation\":{\"devices\":{\"results\":["
                        + Arrays.stream(devices)
                                .map(device -> """
                                    {"request":"nics","driver":"rdma.imexagent.io","pool":"node-1","device":"%s"}\
                                    """.formatted(device))
                                .collect(Collectors.joining(","))
                        + "]}}}");
        return ref;
    }

    /** Puts a claim there with this status. */
    public void put(ClaimRef ref, String status) {
        claims.put(ref, status);
    }

    public PrepareAnswer prepare(ClaimRef ref) throws Exception {
        return Objects.requireNonNull(service.prepare(List.of(Specimens.request(ref)), Duration.ofSeconds(45))
                .toCompletableFuture()
                .get(LONG.toSeconds(), TimeUnit.SECONDS)
                .get(ref.uid().value()));
    }

    public UnprepareAnswer unprepare(ClaimRef ref) throws Exception {
        return Objects.requireNonNull(service.unprepare(List.of(Specimens.request(ref)))
                .toCompletableFuture()
                .get(LONG.toSeconds(), TimeUnit.SECONDS)
                .get(ref.uid().value()));
    }

    /** What keeps the specs right, not started. */
    public SpecReconciler reconciler() {
        return new SpecReconciler(book, rules, lane, time);
    }

    /** The ledger that a start would find. */
    public Ledger saved() throws IOException {
        return switch (store.load()) {
            case LoadOutcome.Loaded loaded -> loaded.ledger();
            case LoadOutcome.Fresh fresh -> Ledger.empty(Optional.empty());
            case LoadOutcome.RecoveredFromBackup backup -> throw new AssertionError(backup);
            case LoadOutcome.Unreadable unreadable -> throw new AssertionError(unreadable);
        };
    }

    /** Reads the host anew. */
    public void read() {
        watch.refresh();
    }

    /** Waits until a reading has found the device with this node. */
    public void awaitNode(String device, int uverbs) throws Exception {
        Waiting.eventually(
                "uverbs" + uverbs,
                () -> watch.current().orElseThrow().inventory().nics().stream()
                        .anyMatch(reading -> reading instanceof NicReading.Read read
                                && reading.label().equals(device)
                                && read.nic()
                                        .uverbs()
                                        .filter(node -> node.index() == uverbs)
                                        .isPresent()));
    }

    /** Waits until the claim's spec has this in it. */
    public void awaitSpec(ClaimRef claim, String part) throws Exception {
        Waiting.eventually(part + " in the spec", () -> {
            try {
                return Files.exists(specs.file(claim.uid()))
                        && Files.readString(specs.file(claim.uid())).contains(part);
            } catch (IOException beingReplaced) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        watch.close();
        try {
            // What is on the lane ends before the folder goes.
            service.stop(LONG);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        lane.close();
        threads.shutdownNow();
        lock.close();
    }
}
