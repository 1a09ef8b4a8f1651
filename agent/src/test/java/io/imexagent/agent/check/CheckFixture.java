package io.imexagent.agent.check;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.Configs;
import io.imexagent.imex.fake.HostTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A node that is ready to serve, in a folder, and a configuration that points there. */
final class CheckFixture {

    private final Path folder;

    CheckFixture(Path folder) throws IOException {
        this.folder = folder;
        HostTree.gb200(folder.resolve("host")).with("etc/nvidia-imex/nodes_config.cfg", "10.0.0.1\n10.0.0.2\n");
        for (String directory : new String[] {"kubelet/plugins", "kubelet/plugins_registry", "cdi", "state", "proc"}) {
            Files.createDirectories(folder.resolve(directory));
        }
        Files.writeString(folder.resolve("kubelet.conf"), "apiVersion: v1\n");
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    AgentConfig serving(String... settings) {
        return Configs.under(folder, true, settings);
    }

    AgentConfig observing(String... settings) {
        return Configs.under(folder, false, settings);
    }
}
