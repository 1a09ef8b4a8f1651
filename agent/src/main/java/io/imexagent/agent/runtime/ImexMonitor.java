package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.LocalHost;
import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.check.Condition;
import io.imexagent.core.inventory.XidHistory;
import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.slice.Device.DeviceTaint;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReader;
import io.imexagent.imex.health.ImexWatchSettings;
import io.imexagent.imex.probe.GpuEventWatch;
import io.imexagent.imex.probe.XidLog;
import io.imexagent.imex.watch.ChannelStatus;
import io.imexagent.imex.watch.ClusterNames;
import io.imexagent.imex.watch.ImexSource;
import io.imexagent.imex.watch.ImexWatch;
import io.imexagent.imex.watch.KeptTaint;
import io.imexagent.worker.Deadline;
import io.imexagent.worker.Worker;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/**
 * Watches what devices depend on in addition to the driver: nvidia-imex and events of GPUs. Reads only. It starts after
 * all other parts, so that it does not delay the start of the agent, and until then reports no check.
 */
final class ImexMonitor implements Lifetime.Part, ImexSource {

    private final Supplier<AgentConfig> config;
    private final ThisProcess process;
    private final NodeObserver observing;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final KeptTaint taint;
    private final XidLog xidLog;
    private final ClusterNames names;
    private volatile Optional<Worker> worker = Optional.empty();
    private volatile Optional<ImexWatch> imex = Optional.empty();
    private volatile Optional<GpuEventWatch> gpus = Optional.empty();

    ImexMonitor(NodeObserver observing) {
        this.config = observing.config;
        this.process = observing.process;
        this.observing = observing;
        this.taint = new KeptTaint(config.get().stateDirectory());
        this.xidLog = new XidLog(config.get().host().root());
        this.names =
                new ClusterNames(observing.api.nodes(), config.get().nodeName(), () -> imex.ifPresent(ImexWatch::wake));
    }

    /** Starts. The task runs after each check on the thread of the watch, and must return at once. */
    void start(Runnable afterCheck) {
        if (watched()) {
            var own = new Worker("imex", 1, observing.metrics, process.nanoTime());
            ImexReader reader = LocalHost.reader(config.get(), process.clock());
            var watch = new ImexWatch(
                    own,
                    () -> check(reader),
                    () -> health().interval(),
                    observing.metrics.watching(own, () -> health().interval(), afterCheck),
                    process.nanoTime());
            watch.onChange(health -> changed());
            worker = Optional.of(own);
            imex = Optional.of(watch);
        }
        var events = new GpuEventWatch(
                observing.driver,
                () -> config.get().listensToGpus(),
                observing.inventory::wake,
                observing.metrics.gpuEvents(),
                xidLog,
                process.clock(),
                GpuEventWatch.FIRST_PAUSE);
        events.onChange(this::changed);
        gpus = Optional.of(events);
        observing.inventory.onChange(inventory -> {
            events.read(inventory);
            imex.ifPresent(ImexWatch::wake);
        });
        imex.ifPresent(ImexWatch::start);
        events.start();
    }

    private ImexHealth check(ImexReader reader) throws InterruptedException {
        AgentConfig now = config.get();
        ImexHealth health = LocalHost.imex(
                reader, now, observing.inventory.current(), new LocalHost(now, process).identity(names.names()));
        if (health.missesItself()) {
            names.want();
        }
        return health;
    }

    @Override
    public boolean watched() {
        return health().watch();
    }

    @Override
    public Optional<ImexHealth> current() {
        return imex.flatMap(ImexWatch::current);
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    /** The Xid that makes the devices unhealthy; empty if there is none. */
    Optional<String> complaint() {
        return gpus.flatMap(GpuEventWatch::complaint);
    }

    /** Why no new claim may be prepared now; empty if claims may be, or if the operator switched this check off. */
    Optional<Refusal> gate() {
        return health().gatePrepare() ? ChannelStatus.refusal(this) : Optional.empty();
    }

    /** The taints of the node's devices; empty if the operator wants none, so that slices reserve no room for them. */
    Optional<List<DeviceTaint>> taints() {
        if (!health().taint() || !watched()) {
            taint.forget();
            return Optional.empty();
        }
        return Optional.of(
                taint.taints(current(), health().taintAfter(), process.clock().instant()));
    }

    /** The Xids since the boot; empty if the agent did not listen for them. Never blocks for long. */
    Optional<XidHistory> xids() {
        return xidLog.history();
    }

    /** The condition of nvidia-imex for readiness, which fails only if claims wait for nvidia-imex. */
    Condition condition() {
        return new Condition(
                "imex",
                gate().isEmpty(),
                watched() ? current().map(ImexHealth::line).orElse("not looked at yet") : "not watched");
    }

    /** The verdict on nvidia-imex in a few words, for the status of the service; empty before the first check. */
    Optional<String> summary() {
        return current().map(health -> health.verdict().summary());
    }

    void follow() {
        gpus.ifPresent(GpuEventWatch::follow);
        imex.ifPresent(ImexWatch::wake);
    }

    @Override
    public void stop(Deadline deadline) {
        imex.ifPresent(ImexWatch::close);
        names.close();
        worker.ifPresent(Worker::close);
        gpus.ifPresent(GpuEventWatch::close);
    }

    private void changed() {
        listeners.forEach(Runnable::run);
    }

    private ImexWatchSettings health() {
        return config.get().imex().health();
    }
}
