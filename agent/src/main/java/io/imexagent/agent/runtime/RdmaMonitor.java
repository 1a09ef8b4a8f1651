package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ThisProcess;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.dra.worker.Deadline;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.watch.NodeAddresses;
import io.imexagent.rdma.watch.RdmaReader;
import io.imexagent.rdma.watch.RdmaWatch;
import java.time.Duration;
import java.util.function.Supplier;

/** What an agent does under {@code rdma.enabled}: reads the RDMA side of the host again and again, and shows it. */
final class RdmaMonitor implements Part {

    private static final NodeAddresses.Pauses PAUSES =
            new NodeAddresses.Pauses(Duration.ofSeconds(2), Duration.ofSeconds(10), Duration.ofMinutes(5));

    private final NodeAddresses addresses;
    private final RdmaWatch watch;

    RdmaMonitor(Supplier<AgentConfig> config, ThisProcess process, Observing observing) {
        this.addresses = new NodeAddresses(
                observing.api().nodes(), config.get().get(ConfigKeys.NODE_NAME), PAUSES, this::refresh);
        this.watch = new RdmaWatch(
                new RdmaReader(new RootedFiles(config.get().get(ConfigKeys.HOST_ROOT)), process.clock()),
                () -> observing.inventory().current().gpus(),
                addresses::told,
                () -> config.get().rdma(),
                () -> config.get().get(ConfigKeys.INVENTORY_INTERVAL),
                observing.metrics().rdma(),
                process.nanoTime());
    }

    void start() {
        addresses.start();
        watch.start();
    }

    /** The view that is kept fresh. */
    RdmaWatch watch() {
        return watch;
    }

    /** Reads the host now. */
    void refresh() {
        watch.refresh();
    }

    @Override
    public void stop(Deadline deadline) {
        addresses.close();
        watch.close();
    }
}
