package io.imexagent.rdma.rails;

import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.core.claim.ClaimRef;
import io.imexagent.core.ledger.BootId;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.core.refusal.Outcome;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPreparer.Prepared;
import io.imexagent.dra.claim.ClaimPreparer.Unprepared;
import io.imexagent.dra.claim.ClaimService.PrepareObserver;
import io.imexagent.dra.claim.DraSpecimens;
import io.imexagent.dra.claim.FakeClaims;
import io.imexagent.dra.claim.ManualClock;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.driver.DriverClaims;
import io.imexagent.dra.fake.Eventually;
import io.imexagent.dra.recovery.Recovery.RecoveryResult;
import io.imexagent.dra.recovery.SpecReconciler;
import io.imexagent.files.FileSteps;
import io.imexagent.kubernetes.Pods;
import io.imexagent.rdma.fixture.RdmaTree;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.inventory.NicReading;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.setting.RdmaSettings;
import io.imexagent.rdma.watch.NodeAddresses.KnownAddresses;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
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
    private final RdmaWatch watch;
    private final RailRules rules;
    private final DriverClaims<RailClaim> driver;
    private final List<SpecReconciler> reconcilers = new ArrayList<>();
    private final Worker looks = new Worker("rdma-files", 1, WorkerObserver.NONE, System::nanoTime);
    private final BootId boot;

    private RailsNode(Builder from) {
        boot = from.boot;
        tray = RdmaTree.gb200(from.folder.resolve("host"));
        Path plugin = from.folder.resolve("plugin");
        var clock = new ManualClock();
        var files = new RootedFiles(tray.root());
        watch = new RdmaWatch(
                files,
                Settings.calls(),
                Clock.systemUTC(),
                tray::gpus,
                from.addresses,
                from.settings,
                () -> Duration.ofSeconds(30),
                new RdmaObserver() {},
                System::nanoTime);
        rules = new RailRules(
                (namespace, name) -> from.pod,
                (namespace, group, claim) -> List.of(),
                watch,
                DraSpecimens.NODE,
                new RootedFiles(tray.root()),
                new BoundedCall<>(looks, from.patience),
                new RuntimeProbe(() -> from.runtime, from.hook));
        store = new FileCheckpointStore(plugin, RailRules.RECORD, clock, FileSteps.ALL_PASS);
        specs = new CdiDirectory(from.folder.resolve("cdi"), RailRules.KIND);
        driver = new DriverClaims<>(
                rules.driver(),
                new ClaimHost(
                        from.folder.resolve("host"),
                        from.folder.resolve("kubelet"),
                        plugin,
                        from.folder.resolve("cdi"),
                        Duration.ofMillis(200),
                        FileSteps.ALL_PASS,
                        from.listener,
                        WorkerObserver.NONE,
                        clock,
                        clock,
                        () -> 0),
                claims,
                claims,
                PrepareSettings.answeringWithin(Duration.ofSeconds(40)),
                new PrepareObserver() {});
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
        private Supplier<KnownAddresses> addresses =
                () -> new KnownAddresses.ReadAddresses(Set.of(InetAddress.ofLiteral("192.0.2.7")), Optional.empty());
        private Supplier<RdmaSettings> settings = () -> Settings.OFF;
        private Optional<Path> runtime = Optional.empty();
        private ArpHook hook = ArpHook.INSTALLED;
        private Optional<Pods.PodObject> pod = Optional.empty();
        private Duration patience = LONG;

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

        /** With an agent that waits this long for a file of the host. */
        public Builder patient(Duration time) {
            patience = time;
            return this;
        }

        /** With what the cluster tells of the node's addresses. */
        public Builder told(Supplier<KnownAddresses> answers) {
            addresses = answers;
            return this;
        }

        /** By these settings, which are asked for with each reading. */
        public Builder by(Supplier<RdmaSettings> present) {
            settings = present;
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
            return startWith(node -> {});
        }

        /** The node, its agent started after this was done to it. */
        public RailsNode startWith(Consumer<RailsNode> before) throws Exception {
            var node = new RailsNode(this);
            before.accept(node);
            node.watch.start();
            Eventually.holds("the first reading", () -> node.watch.current().isPresent());
            if (node.driver.recover(Optional.of(node.boot)) instanceof RecoveryResult.RecoveryRefused refused) {
                node.close();
                throw new AssertionError(refused.reason());
            }
            node.driver.service().start();
            return node;
        }
    }

    /** Puts a claim there to which these devices are allocated. */
    public ClaimRef claim(String name, String... devices) {
        ClaimRef ref = DraSpecimens.ref(name);
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

    /** Puts a claim there to which a device is allocated, and whose pod may set variables itself. */
    public ClaimRef claimUnlessSet(String name, String device) {
        ClaimRef ref = DraSpecimens.ref(name);
        claims.put(ref, """
                {"allocation":{"devices":{"results":[
                  {"request":"nics","driver":"rdma.imexagent.io","pool":"node-1","device":"%s"}],
                 "config":[{"source":"FromClaim","requests":[],"opaque":{"driver":"rdma.imexagent.io","parameters":
                  {"apiVersion":"rdma.imexagent.io/v1alpha1","kind":"RdmaRailConfig","env":"unless-set"}}}]}}}
                """.formatted(device));
        return ref;
    }

    /** Puts a claim there with this status. */
    public void put(ClaimRef ref, String status) {
        claims.put(ref, status);
    }

    public Outcome<Prepared> prepare(ClaimRef ref) {
        return Objects.requireNonNull(driver.service()
                .prepare(List.of(DraSpecimens.request(ref)), Duration.ofSeconds(45))
                .get()
                .get(ref.uid().value()));
    }

    public Outcome<Unprepared> unprepare(ClaimRef ref) {
        return Objects.requireNonNull(driver.service()
                .unprepare(List.of(DraSpecimens.request(ref)))
                .get()
                .get(ref.uid().value()));
    }

    /** What keeps the specs right, not started. */
    public SpecReconciler reconciler() {
        var reconciler = new SpecReconciler(
                driver.prepared(), rules, specs, driver.worker(), count -> {}, why -> {}, System::nanoTime);
        reconcilers.add(reconciler);
        return reconciler;
    }

    /** The ledger that a start would find. */
    public Ledger saved() throws IOException {
        return switch (store.load()) {
            case LoadOutcome.LoadedCheckpoint loaded -> loaded.ledger();
            case LoadOutcome.NoCheckpoint fresh -> Ledger.empty(Optional.empty());
            case LoadOutcome.RecoveredFromBackup backup -> throw new AssertionError(backup);
            case LoadOutcome.UnreadableCheckpoint unreadable -> throw new AssertionError(unreadable);
        };
    }

    /** Reads the host anew. */
    public void read() {
        watch.wake();
    }

    /** Waits until a reading has found the device with this node. */
    public void awaitNode(String device, int uverbs) throws Exception {
        Eventually.holds(
                "uverbs" + uverbs,
                () -> watch.current().orElseThrow().inventory().nics().stream()
                        .anyMatch(reading -> reading instanceof NicReading.ReadNic read
                                && reading.label().equals(device)
                                && read.nic()
                                        .uverbs()
                                        .filter(node -> node.name().equals("uverbs" + uverbs))
                                        .isPresent()));
    }

    /** Waits until the claim's spec has this in it. */
    public void awaitSpec(ClaimRef claim, String part) throws Exception {
        awaitSpec(claim, part, true);
    }

    /** Waits until the claim's spec has this in it, or has not. */
    public void awaitSpec(ClaimRef claim, String part, boolean there) throws Exception {
        Eventually.holds(part + (there ? " in the spec" : " no longer in the spec"), () -> {
            try {
                return Files.exists(specs.file(claim.uid()))
                        && Files.readString(specs.file(claim.uid())).contains(part) == there;
            } catch (IOException beingReplaced) {
                return false;
            }
        });
    }

    /** The file of the claim's own, which need not exist. */
    public Path ownFile(ClaimRef claim) {
        String spec = specs.file(claim.uid()).toString();
        return Path.of(spec.substring(0, spec.length() - ".yaml".length()) + ".conf");
    }

    @Override
    public void close() {
        watch.close();
        looks.close();
        reconcilers.forEach(SpecReconciler::close);
        try {
            // What is on the worker ends before the folder goes.
            driver.service().stop(LONG);
        } catch (InterruptedException ending) {
            Thread.currentThread().interrupt();
        }
        driver.close();
    }
}
