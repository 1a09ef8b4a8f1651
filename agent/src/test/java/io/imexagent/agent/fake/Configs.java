package io.imexagent.agent.fake;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.gate.ImexServiceSettings;
import io.imexagent.agent.imex.ImexWatchSettings;
import io.imexagent.agent.rdma.NameList;
import io.imexagent.agent.rdma.RailSettings;
import io.imexagent.agent.rdma.RdmaSettings;
import io.imexagent.agent.runtime.ChannelHealth;
import io.imexagent.core.policy.Isolation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Configurations for tests. */
public final class Configs {

    /** The defaults of the RDMA section. */
    public static final RdmaSettings RDMA_OFF = new RdmaSettings(
            false,
            "^eth[0-9]+$",
            Optional.empty(),
            false,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            new NameList(List.of("15b3:a2d2", "15b3:a2d6", "15b3:a2dc")),
            false,
            RailSettings.STANDARD);

    private Configs() {}

    /** The defaults of {@code imex.service}. */
    public static ImexServiceSettings service() {
        return service(true, List.of());
    }

    /** The same with a gate that is on or off, and with vendors. */
    public static ImexServiceSettings service(boolean gate, List<String> vendors) {
        return new ImexServiceSettings(
                true, "nvidia-imex", vendors, gate, "\\b(GB200|GB300)\\b", List.of("2941", "31C2"), false);
    }

    /**
     * Defaults, with every path in a folder.
     *
     * @param hostManaged whether {@code HostManagedIMEX} is on, with isolation None
     */
    public static AgentConfig under(Path folder, boolean hostManaged) {
        return new AgentConfig(
                new AgentConfig.Node("node-1"),
                new AgentConfig.Host(folder.resolve("host"), Path.of("/")),
                new AgentConfig.Nvml(Optional.empty(), Duration.ofSeconds(5), true, false),
                new AgentConfig.Kubelet(folder.resolve("kubelet"), OptionalInt.empty()),
                new AgentConfig.Kubernetes(folder.resolve("kubelet.conf")),
                new AgentConfig.Cdi(folder.resolve("cdi")),
                new AgentConfig.State(folder.resolve("state")),
                new AgentConfig.FeatureGates(hostManaged, false, false),
                new AgentConfig.Imex(
                        hostManaged ? Optional.of(Isolation.NONE) : Optional.empty(),
                        128,
                        Optional.empty(),
                        imexHealth(folder),
                        service()),
                new AgentConfig.Publication(true, false),
                new AgentConfig.Inventory(Duration.ofSeconds(30)),
                new AgentConfig.Prepare(Duration.ofSeconds(30)),
                new AgentConfig.DeviceHealth(Duration.ofSeconds(30), ChannelHealth.Degraded.HEALTHY),
                new AgentConfig.Http("127.0.0.1", 0, Optional.empty()),
                new AgentConfig.Controller(
                        folder.resolve("controller.conf"), "imex-agent", Duration.ofSeconds(30), 300, 0),
                new AgentConfig.Log(AgentConfig.Log.Level.INFO),
                RDMA_OFF);
    }

    /** The configuration with another section {@code imex}. */
    public static AgentConfig with(AgentConfig from, AgentConfig.Imex imex) {
        return with(from, imex, from.rdma());
    }

    /** The configuration with {@code rdma.enabled}, and that section's defaults. */
    public static AgentConfig offeringRails(AgentConfig from) {
        return with(
                from,
                from.imex(),
                new RdmaSettings(
                        true,
                        RDMA_OFF.exclude(),
                        RDMA_OFF.include(),
                        RDMA_OFF.includeUplinks(),
                        RDMA_OFF.peer(),
                        RDMA_OFF.uplinks(),
                        RDMA_OFF.nodeAddresses(),
                        RDMA_OFF.storageDevices(),
                        RDMA_OFF.strict(),
                        RDMA_OFF.rails()));
    }

    private static AgentConfig with(AgentConfig from, AgentConfig.Imex imex, RdmaSettings rdma) {
        return new AgentConfig(
                from.node(),
                from.host(),
                from.nvml(),
                from.kubelet(),
                from.kubernetes(),
                from.cdi(),
                from.state(),
                from.featureGates(),
                imex,
                from.publication(),
                from.inventory(),
                from.prepare(),
                from.deviceHealth(),
                from.http(),
                from.controller(),
                from.log(),
                rdma);
    }

    private static ImexWatchSettings imexHealth(Path folder) {
        return new ImexWatchSettings(
                true,
                Duration.ofSeconds(30),
                Duration.ofSeconds(5),
                folder.resolve("nvidia-imex-ctl"),
                folder.resolve("systemctl"),
                Path.of("/etc/nvidia-imex/config.cfg"),
                false,
                false,
                Duration.ofMinutes(1),
                true);
    }
}
