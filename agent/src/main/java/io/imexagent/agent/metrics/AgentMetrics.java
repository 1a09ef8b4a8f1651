package io.imexagent.agent.metrics;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.imex.probe.GpuEventWatch.GpuEventObserver;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.imex.watch.ImexWatch.ImexObserver;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.rdma.rails.PublishedRails.PublishedRail;
import io.imexagent.rdma.rails.RailDriver;
import io.imexagent.rdma.watch.RdmaWatch.RdmaObserver;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.time.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;

/** All metrics of the agent. Observes workers and calls to the API server itself, and has observers for other parts. */
public final class AgentMetrics extends ProgramMetrics implements WorkerObserver {

    private final InventoryMetrics inventory = new InventoryMetrics(meters);
    private final DriverMetrics channels;
    private final String node;
    private final Clock clock;

    public AgentMetrics(AgentConfig config, String version, String commit, Clock clock) {
        super(version, commit);
        this.clock = clock;
        this.node = config.nodeName();
        this.channels = new DriverMetrics(meters, node, DriverNames.DRIVER, "channel", PreparedDevice.Channel.class);
        meters.gauge(Metric.MODE, () -> 1, config.hostManaged() ? "host-managed" : "observe-only");
    }

    public DriverMetrics channels() {
        return channels;
    }

    /** The metrics of the driver of RDMA NICs; their series exist from this call on. */
    public DriverMetrics rails() {
        return new DriverMetrics(meters, node, RailDriver.NAME, "rail", PreparedDevice.Plain.class);
    }

    /** Shows the published RDMA NICs: their number by state, and by whether a claim holds them. */
    public void showRails(ToDoubleBiFunction<String, Boolean> count) {
        for (String state : PublishedRail.RailState.TEXTS) {
            for (boolean held : new boolean[] {true, false}) {
                meters.gauge(
                        Metric.RDMA_PUBLISHED, () -> count.applyAsDouble(state, held), Boolean.toString(held), state);
            }
        }
    }

    /** Shows the node's used and kept holds, whether its object is up to date, and the cliques that it has left. */
    public void showHolds(DoubleSupplier used, DoubleSupplier kept, BooleanSupplier written, DoubleSupplier left) {
        meters.gauge(Metric.HOLDS, used, "used");
        meters.gauge(Metric.HOLDS, kept, "kept");
        meters.gauge(Metric.HOLDS_UNWRITTEN, () -> written.getAsBoolean() ? 0 : 1);
        meters.gauge(Metric.CLIQUES_LEFT, left);
    }

    /** Shows for how many ComputeDomains the node's containers use a channel that contradicts the clique's table. */
    public void showConflicts(DoubleSupplier conflicts) {
        meters.gauge(Metric.CHANNEL_CONFLICTS, conflicts);
    }

    /** The observer of the readings of RDMA devices; its series exist from this call on. */
    public RdmaObserver rdma() {
        return new RdmaMetrics(meters, clock);
    }

    /** Shows what every agent has: the inventory, its age and the interval of its readings, and the API server. */
    public void observe(
            InventorySource source, Supplier<Duration> age, Supplier<Duration> interval, KubernetesApi server) {
        source.onChange(changed -> inventory.show(source));
        inventory.show(source);
        meters.seconds(Metric.INVENTORY_AGE_SECONDS, age);
        meters.seconds(Metric.INVENTORY_INTERVAL_SECONDS, interval);
        showApi(server::state, server::unread);
    }

    /** The observer of checks of nvidia-imex by this worker at this interval; the task runs after each was counted. */
    public ImexObserver watching(Worker imex, Supplier<Duration> interval, Runnable afterCheck) {
        show(imex);
        meters.seconds(Metric.IMEX_CHECK_INTERVAL_SECONDS, interval);
        return new ImexMetrics(meters, afterCheck);
    }

    public GpuEventObserver gpuEvents() {
        return inventory;
    }

    /** Shows a worker's queue and how long its present task has been running; there are only a few workers. */
    public void show(Worker worker) {
        meters.gauge(Metric.WORKER_QUEUE, worker::waiting, worker.name());
        meters.counter(Metric.WORKER_REJECTED_TOTAL, worker.name());
        meters.seconds(Metric.WORKER_BUSY_SECONDS, () -> worker.busyFor().orElse(Duration.ZERO), worker.name());
    }

    @Override
    public void ended(String worker, Duration took) {
        meters.timer(Metric.WORKER_TASK_SECONDS, worker).record(took);
    }

    @Override
    public void rejected(String worker) {
        meters.increment(Metric.WORKER_REJECTED_TOTAL, worker);
    }
}
