package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.ProbeSource;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.log.Logging;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.dra.worker.Lane;
import io.imexagent.dra.worker.LaneObserver;
import io.imexagent.imex.gate.SkippedStart;
import io.imexagent.imex.probe.InventoryReader;
import io.imexagent.imex.probe.XidLog;
import io.imexagent.nvml.Nvml;

/** Reads the host once, for a command. */
final class LocalProbe implements ProbeSource {

    private final ThisProcess process;

    LocalProbe(ThisProcess process) {
        this.process = process;
    }

    @Override
    public Probed probe(AgentConfig config) throws InterruptedException {
        NodeInventory inventory = inventory(config);
        return new Probed(inventory, new XidLog(config.get(ConfigKeys.HOST_ROOT)).history());
    }

    /** The node alone. */
    NodeInventory inventory(AgentConfig config) throws InterruptedException {
        // A command answers on standard output; only what is wrong is logged beside it.
        Logging.start(AgentConfig.LogLevel.WARN, false);
        Nvml nvml = NvmlChoice.of(config);
        try (var lane = new Lane("nvml", 1, LaneObserver.NONE, process.nanoTime())) {
            return new InventoryReader(
                            config.get(ConfigKeys.HOST_ROOT),
                            nvml,
                            lane,
                            config.get(ConfigKeys.NVML_DEADLINE),
                            process.clock(),
                            new SkippedStart(config.get(ConfigKeys.HOST_ROOT), () -> config.imexService()))
                    .read();
        }
    }
}
