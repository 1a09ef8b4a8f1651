package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.fake.Configs;
import io.imexagent.testing.host.FakeHost;
import io.imexagent.testing.host.FakeImex;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A node that is ready to serve, in a folder, and a configuration that points there. */
final class CheckFixture {

    private final Path folder;
    private final FakeImex imex;

    CheckFixture(Path folder) throws IOException {
        this.folder = folder;
        FakeHost host = FakeHost.create(folder);
        this.imex = host.imex();
        // By names: the addresses of the domain are this machine's only by chance.
        Files.writeString(host.root().resolve("etc/nvidia-imex/nodes_config.cfg"), "tray-0\ntray-1\n");
        Files.createDirectories(folder.resolve("proc/1"));
        Files.writeString(folder.resolve("proc/1/comm"), "systemd\n");
        Files.writeString(folder.resolve("kubelet.conf"), "apiVersion: v1\n");
    }

    Path path(String name) {
        return folder.resolve(name);
    }

    FakeImex imex() {
        return imex;
    }

    AgentConfig serving(String... settings) {
        return config(true, settings);
    }

    AgentConfig observing(String... settings) {
        return config(false, settings);
    }

    private AgentConfig config(boolean hostManaged, String... settings) {
        return Configs.under(
                folder,
                hostManaged,
                Stream.concat(Stream.of("nvml.simulate=gb200"), Stream.of(settings))
                        .toArray(String[]::new));
    }
}
