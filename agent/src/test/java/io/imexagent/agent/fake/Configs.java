package io.imexagent.agent.fake;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigLoader;
import io.imexagent.agent.config.ConfigSources;
import io.imexagent.agent.config.LoadResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Configurations for tests. */
public final class Configs {

    private Configs() {}

    /** A root with the kernel's file of the host's name, which is host-1, and nothing else. */
    public static Path root() {
        try {
            Path root = Files.createTempDirectory("root");
            Path name = root.resolve("proc/sys/kernel/hostname");
            Files.createDirectories(name.getParent());
            Files.writeString(name, "host-1\n");
            return root;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Defaults, with every path in a folder.
     *
     * @param hostManaged whether {@code HostManagedIMEX} is on, with isolation None
     * @param further more settings, {@code key=value}
     */
    public static AgentConfig under(Path folder, boolean hostManaged, String... further) {
        List<String> settings = Stream.of(
                        Stream.of(
                                "node.name=node-1",
                                "host.root=" + folder.resolve("host"),
                                "kubelet.root=" + folder.resolve("kubelet"),
                                "kubernetes.kubeconfig=" + folder.resolve("kubelet.conf"),
                                "cdi.directory=" + folder.resolve("cdi"),
                                "state.directory=" + folder.resolve("state"),
                                "imex.health.tool=" + folder.resolve("imex/nvidia-imex-ctl"),
                                "imex.health.systemctl=" + folder.resolve("imex/systemctl"),
                                "http.address=127.0.0.1",
                                "http.port=0",
                                "controller.kubeconfig=" + folder.resolve("controller.conf"),
                                "controller.port=0"),
                        hostManaged
                                ? Stream.of("featureGates.HostManagedIMEX=true", "imex.isolation=None")
                                : Stream.<String>of(),
                        Stream.of(further))
                .flatMap(all -> all)
                .toList();
        LoadResult<AgentConfig> loaded =
                new ConfigLoader(Map.of(), folder).load(new ConfigSources(Optional.empty(), Map.of("--set", settings)));
        return switch (loaded) {
            case LoadResult.LoadedConfig(AgentConfig config) -> config;
            case LoadResult.FaultyConfig<?> faulty ->
                throw new IllegalArgumentException(faulty.faults().toString());
        };
    }
}
