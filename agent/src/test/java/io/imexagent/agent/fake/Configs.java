package io.imexagent.agent.fake;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.core.policy.Isolation;
import io.imexagent.imex.fake.ServiceSettings;
import io.imexagent.imex.watch.ChannelHealth;
import io.imexagent.imex.watch.ImexWatchSettings;
import io.imexagent.rdma.fixture.Settings;
import io.imexagent.rdma.watch.RdmaSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** Configurations for tests. */
public final class Configs {

    private Configs() {}

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
                        ServiceSettings.service()),
                new AgentConfig.Publication(true, false),
                new AgentConfig.Inventory(Duration.ofSeconds(30)),
                new AgentConfig.Prepare(Duration.ofSeconds(30)),
                new AgentConfig.DeviceHealth(Duration.ofSeconds(30), ChannelHealth.Degraded.HEALTHY),
                new AgentConfig.Http("127.0.0.1", 0, Optional.empty()),
                new AgentConfig.Controller(
                        folder.resolve("controller.conf"), "imex-agent", Duration.ofSeconds(30), 300, 0),
                new AgentConfig.Log(AgentConfig.Log.Level.INFO),
                Settings.OFF);
    }

    /** The configuration with another section {@code imex}. */
    public static AgentConfig with(AgentConfig from, AgentConfig.Imex imex) {
        return with(from, imex, from.rdma());
    }

    /** The configuration with {@code rdma.enabled}, and that section's defaults. */
    public static AgentConfig offeringRails(AgentConfig from) {
        return with(from, from.imex(), Settings.OFF.enabled(true));
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
