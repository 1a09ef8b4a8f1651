package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.Condition;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.driver.ServedDriver;
import io.imexagent.dra.kubelet.RegistrationState;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.rails.RailRules;
import io.imexagent.rdma.rails.RailTracker;
import io.imexagent.rdma.rails.RuntimeProbe;
import io.imexagent.rdma.rails.RuntimeProbe.ArpHook;
import io.imexagent.rdma.watch.NodeAddresses;
import io.imexagent.rdma.watch.RdmaWatch;
import io.imexagent.worker.BoundedCall;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Loop;
import io.imexagent.worker.Worker;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** The second DRA driver of the process, under {@code rdma.enabled}: reads the RDMA NICs and serves them. */
final class RailService implements Lifetime.Part {

    private static final NodeAddresses.Pauses PAUSES =
            new NodeAddresses.Pauses(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(5));

    /** The deadline of a scan: drivers such as mlx5 time out on unresponsive firmware within a minute. */
    private static final Duration SCAN = Duration.ofSeconds(60);

    private final NodeObserver observing;
    private final NodeAddresses addresses;
    private final RdmaWatch watch;
    private final SoleAgent sole;
    private final RailTracker tracker;
    private final Loop checks;
    private final Worker scans;
    private final Worker files;
    private final ServedDriver driver;

    RailService(NodeObserver observing) {
        this.observing = observing;
        Supplier<AgentConfig> config = observing.config;
        AgentConfig first = config.get();
        this.addresses = new NodeAddresses(observing.api.nodes(), first.nodeName(), PAUSES, this::refresh);
        this.scans = new Worker("rdma-scan", 1, observing.metrics, observing.process.nanoTime());
        this.watch = new RdmaWatch(
                new RootedFiles(first.host().root()),
                new BoundedCall<>(scans, SCAN),
                observing.process.clock(),
                () -> observing.inventory.current().gpus(),
                addresses::current,
                () -> config.get().rdma(),
                () -> config.get().inventoryInterval(),
                observing.metrics.rdma(),
                observing.process.nanoTime());
        this.sole = new SoleAgent(first.kubelet().plugin(RailDriver.NAME));
        this.tracker = new RailTracker(
                watch::current, this::ledger, () -> config.get().rdma(), first.nodeName(), observing.process.clock());
        this.checks = Loop.of("rails", tracker::update);
        this.files = new Worker("rdma-files", 1, observing.metrics, observing.process.nanoTime());
        var runtime = new RuntimeProbe(() -> config.get().rdma().runtime(), ArpHook.INSTALLED);
        this.driver = ChannelService.driver(
                observing,
                new RailRules(
                                observing.api.pods(),
                                observing.api.groupPods(first.nodeName()),
                                watch,
                                first.nodeName(),
                                // Not the files of the scan, which a hanging NIC blocks and which would then block
                                // claims too.
                                new RootedFiles(first.host().root()),
                                new BoundedCall<>(files, first.nvml().deadline()),
                                runtime)
                        .driver(),
                PrepareSettings.answeringWithin(first.answerWithin()),
                tracker::wanted,
                tracker::onChange,
                tracker,
                observing.metrics.rails());
    }

    void start() throws IOException, InterruptedException {
        addresses.start();
        watch.start();
        driver.refuseOthers();
        sole.begin();
        driver.recover(observing.inventory.current().bootId());
        driver.claims().prepared().onChange(ledger -> checks.wake());
        watch.onChange(changed -> checks.wake());
        checks.start();
        observing.metrics.showRails(tracker::count);
        driver.serve(observing.runningVertx());
        observing.metrics.show(driver.claims().worker());
        observing.metrics.show(scans);
        observing.metrics.show(files);
    }

    void refresh() {
        watch.wake();
    }

    void follow() {
        checks.wake();
        driver.wake();
    }

    List<Condition> conditions() {
        return driver.conditions().stream()
                .map(condition -> new Condition("rdma-" + condition.name(), condition.holds(), condition.detail()))
                .toList();
    }

    RegistrationState registration() {
        return driver.registration();
    }

    Worker worker() {
        return driver.claims().worker();
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        checks.close();
        try {
            driver.stop(deadline);
            sole.close();
        } finally {
            scans.close();
            files.close();
            addresses.close();
            watch.close();
        }
    }

    private Ledger ledger() {
        return driver.claims().prepared().ledger();
    }
}
