package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.inventory.NodeIdentity;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.imex.gate.GateFindings;
import io.imexagent.imex.health.HealthPlanner;
import io.imexagent.imex.health.ImexHealth;
import io.imexagent.imex.health.ImexReader;
import io.imexagent.imex.health.ImexReading;
import io.imexagent.imex.probe.IdentityProbe;
import io.imexagent.imex.probe.InventoryReader;
import io.imexagent.nvml.Nvml;
import io.imexagent.nvml.jna.JnaNvml;
import io.imexagent.nvml.simulated.SimulatedNvml;
import io.imexagent.worker.Worker;
import io.imexagent.worker.Worker.WorkerObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/** The host of a configuration, read once for a command. Changes nothing. */
public record LocalHost(AgentConfig config, ThisProcess process) {

    /** How long to wait for the lock of a plugin, which other processes hold while they write a claim's files. */
    public static final Duration LOCK_PATIENCE = Duration.ofSeconds(10);

    /** Loading a library takes milliseconds, or longer while a machine boots and starts all its services. */
    private static final Duration LOADING = Duration.ofSeconds(3);

    /** Reads the present inventory of the node; each failure to read is a finding. */
    public NodeInventory inventory() throws InterruptedException {
        Path root = config.host().root();
        try (var worker = new Worker("nvml", 1, WorkerObserver.NONE, process.nanoTime());
                var files = new Worker("host-files", 1, WorkerObserver.NONE, process.nanoTime())) {
            return new InventoryReader(
                            root,
                            nvml(config.host(), config.nvml(), process, true),
                            worker,
                            files,
                            config.nvml().deadline(),
                            process.clock(),
                            new GateFindings(root, () -> config.imex().service())::of)
                    .read();
        }
    }

    /** Reads the present health of nvidia-imex on a node with this inventory. */
    public ImexHealth imex(NodeInventory inventory) throws InterruptedException {
        return imex(reader(config, process.clock()), config, inventory, identity(List.of()));
    }

    /** The host's names: its hostname, the configured name, and the names in the Node object, if it has been read. */
    public NodeIdentity identity(List<String> inCluster) {
        return new IdentityProbe(config.host().root())
                .read(Stream.concat(Stream.of(config.nodeName()), inCluster.stream())
                        .toList());
    }

    public static ImexReader reader(AgentConfig config, InstantSource clock) {
        return new ImexReader(config.imex().health(), config.host().root(), clock);
    }

    /** Reads nvidia-imex, and judges its health on a node with this inventory and these names. */
    public static ImexHealth imex(ImexReader reader, AgentConfig config, NodeInventory inventory, NodeIdentity identity)
            throws InterruptedException {
        return HealthPlanner.judge(reader.read(new ImexReading.ImexNode(inventory, config.hostManaged(), identity)));
    }

    /**
     * Returns the NVML of the configuration, the driver's library or a simulated tray, without loading it. With {@code
     * trial}, another process loads the library first, so that this process does not use a library that hangs. The gate
     * has no time for a trial; its launcher ends the gate if the library hangs.
     */
    public static Nvml nvml(
            AgentConfig.HostConfig host, AgentConfig.NvmlConfig nvml, ThisProcess process, boolean trial) {
        return nvml.simulate()
                .<Nvml>map(preset -> {
                    LoggerFactory.getLogger(LocalHost.class)
                            .warn("NVML is simulated, the GPUs of this host are not read tray={}", preset.label());
                    return new SimulatedNvml(preset.tray());
                })
                .orElseGet(() -> new JnaNvml(
                        host.driverRoot(), process.libraryPath(), trial ? Optional.of(LOADING) : Optional.empty()));
    }
}
