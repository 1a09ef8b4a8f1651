package io.imexagent.agent.rdma;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.rdma.inventory.RdmaInventory;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.probe.RdmaProbe;
import io.imexagent.rdma.selection.RailSelector;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Clock;
import java.util.List;
import java.util.Set;

/** Reads the RDMA side of the host and decides about it, under the configuration. For one thread at a time. */
public final class RdmaReader {

    private final RdmaProbe probe;

    /**
     * A reader.
     *
     * @param files the host's files
     * @param clock the clock
     */
    public RdmaReader(HostFiles files, Clock clock) {
        this.probe = new RdmaProbe(files, clock);
    }

    /**
     * Reads and decides.
     *
     * @param gpus the node's GPUs
     * @param nodeAddresses the addresses under which the cluster knows the node, as far as it has told them
     * @param config what the operator decided
     * @throws IOException where the list of RDMA devices cannot be read; the message says what to do
     */
    public RdmaView read(List<Gpu> gpus, Set<InetAddress> nodeAddresses, AgentConfig.Rdma config) throws IOException {
        RdmaInventory inventory = probe.scan(gpus, RdmaPolicy.hints(config, nodeAddresses));
        return new RdmaView(inventory, new RailSelector(RdmaPolicy.selection(config)).select(inventory));
    }
}
