package io.imexagent.agent.check;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.FakeHost;
import io.imexagent.core.policy.Isolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** A node that is ready to serve, in a folder, and a configuration that points there. */
final class CheckFixture {

    private final Path folder;

    CheckFixture(Path folder) throws IOException {
        this.folder = folder;
        FakeHost.gb200(folder.resolve("host")).with("etc/nvidia-imex/nodes_config.cfg", "10.0.0.1\n10.0.0.2\n");
        for (String directory : new String[] {"kubelet/plugins", "kubelet/plugins_registry", "cdi", "state", "proc"}) {
            Files.createDirectories(folder.resolve(directory));
        }
        Files.writeString(folder.resolve("kubelet.conf"), "apiVersion: v1\n");
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    AgentConfig serving() {
        return config(true);
    }

    AgentConfig observing() {
        return config(false);
    }

    private AgentConfig config(boolean hostManaged) {
        return new AgentConfig(
                new AgentConfig.Node("node-1"),
                new AgentConfig.Host(folder.resolve("host"), Path.of("/")),
                new AgentConfig.Nvml(Optional.empty(), Duration.ofSeconds(5)),
                new AgentConfig.Kubelet(folder.resolve("kubelet"), OptionalInt.empty()),
                new AgentConfig.Kubernetes(folder.resolve("kubelet.conf")),
                new AgentConfig.Cdi(folder.resolve("cdi")),
                new AgentConfig.State(folder.resolve("state")),
                new AgentConfig.FeatureGates(hostManaged, false, false),
                new AgentConfig.Imex(hostManaged ? Optional.of(Isolation.NONE) : Optional.empty()),
                new AgentConfig.Publication(true, false),
                new AgentConfig.Inventory(Duration.ofSeconds(30)),
                new AgentConfig.Prepare(Duration.ofSeconds(30)),
                new AgentConfig.DeviceHealth(Duration.ofSeconds(30)),
                new AgentConfig.Http("127.0.0.1", 0, Optional.empty()),
                new AgentConfig.Log(AgentConfig.Log.Level.INFO));
    }
}
