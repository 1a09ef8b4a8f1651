package io.imexagent.agent.metrics;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.LaneObserver;
import io.imexagent.imex.probe.GpuEventObserver;
import io.imexagent.imex.probe.InventorySource;
import io.imexagent.imex.watch.ImexObserver;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.DriverNames;
import io.imexagent.kubernetes.KubernetesApi;
import io.imexagent.rdma.dra.RailDriver;
import io.imexagent.rdma.dra.RailState;
import io.imexagent.rdma.watch.RdmaObserver;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.function.ToDoubleBiFunction;
import org.jspecify.annotations.Nullable;

/** All metrics of the agent: the observers of its parts, and the page that Prometheus reads. */
public final class AgentMetrics {

    private static final double MS_PER_SECOND = 1000;

    private final Meters meters = new Meters();
    private final InventoryMetrics inventory = new InventoryMetrics(meters);
    private final LaneMetrics lanes = new LaneMetrics(meters);
    private final ApiMetrics api = new ApiMetrics(meters);
    private final GpuMetrics gpus = new GpuMetrics(meters);
    private final DriverMetrics channels;
    private final String node;
    private final Clock clock;
    private @Nullable PrometheusPage page;

    /**
     * Metrics of an agent.
     *
     * @param config the configuration
     * @param version the agent's version
     * @param clock the clock
     */
    public AgentMetrics(AgentConfig config, String version, Clock clock) {
        this.clock = clock;
        this.node = config.node().name();
        this.channels = new DriverMetrics(meters, node, DriverNames.DRIVER, "channel", PreparedDevice.Channel.class);
        meters.gauge(MetricCatalogue.RESIDENT_MEMORY, new ResidentMemory(Path.of("/proc/self/status"))::bytes);
        meters.gauge(MetricCatalogue.BUILD_INFO, () -> 1, version);
        meters.gauge(
                MetricCatalogue.MODE,
                () -> 1,
                config.featureGates().hostManagedImex() ? "host-managed" : "observe-only");
    }

    /** The observer of lanes. */
    public LaneObserver lanes() {
        return lanes;
    }

    /** The observer of calls to the API server. */
    public ApiObserver api() {
        return api;
    }

    /** The metrics of the driver of IMEX channels. */
    public DriverMetrics channels() {
        return channels;
    }

    /** The metrics of the driver of RDMA NICs; their series are there from this call on. */
    public DriverMetrics rails() {
        return new DriverMetrics(meters, node, RailDriver.NAME, "rail", PreparedDevice.Plain.class);
    }

    /**
     * Shows the RDMA NICs that are published.
     *
     * @param count tells how many are in a state, held by a claim or not
     */
    public void showRails(ToDoubleBiFunction<String, Boolean> count) {
        for (String state : RailState.TEXTS) {
            for (boolean held : new boolean[] {true, false}) {
                meters.gauge(
                        MetricCatalogue.RDMA_PUBLISHED,
                        () -> count.applyAsDouble(state, held),
                        Boolean.toString(held),
                        state);
            }
        }
    }

    /** The observer of the readings of RDMA devices; its series are there from this call on. */
    public RdmaObserver rdma() {
        return new RdmaMetrics(meters, clock);
    }

    /**
     * Shows what every agent has.
     *
     * @param age how long ago the node was read
     */
    public void observe(InventorySource source, Supplier<Duration> age, KubernetesApi server, Lane nvml) {
        source.onChange(changed -> {
            inventory.show(source);
            gpus.show(changed);
        });
        inventory.show(source);
        gpus.show(source.current());
        meters.gauge(MetricCatalogue.INVENTORY_AGE, () -> age.get().toMillis() / MS_PER_SECOND);
        api.show(server::state);
        lanes.show(nvml);
    }

    /**
     * The observer of nvidia-imex; made by an agent that watches it.
     *
     * @param imex the lane of the looks
     * @param afterLook is run after each look has been counted
     */
    public ImexObserver watching(Lane imex, Runnable afterLook) {
        lanes.show(imex);
        return new ImexMetrics(meters, afterLook);
    }

    /** The observer of events of GPUs. */
    public GpuEventObserver gpuEvents() {
        return gpus;
    }

    /** Shows a lane. */
    public void show(Lane lane) {
        lanes.show(lane);
    }

    /** All metrics in the Prometheus text format 0.0.4. The first page takes longer: it loads what pages are made with. */
    public synchronized String page() {
        if (page == null) {
            page = new PrometheusPage(meters);
        }
        return page.text();
    }
}
