package io.imexagent.agent.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A configuration in the making: a file in a scratch folder, an environment and flags. */
final class ConfigFixture {

    private final Path file;
    private final Map<String, String> environment = new HashMap<>();
    private final Map<String, List<String>> flags = new HashMap<>();
    private final Path root;
    private Optional<String> hostName = Optional.of("host-1\n");

    ConfigFixture(Path folder) {
        root = folder.resolve("root");
        file = root.resolve("etc/imex-agent/config.yaml");
    }

    /** A file or folder of the host, where the kubelet keeps its things. */
    ConfigFixture kubelets(String path) {
        try {
            Path file = root.resolve(path.substring(1));
            Files.createDirectories(file.getParent());
            if (path.endsWith("/kubelet")) {
                Files.createDirectories(file);
            } else {
                Files.writeString(file, "apiVersion: v1\n");
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    /** What stands in the default file. */
    ConfigFixture file(String text) {
        try {
            Files.writeString(path(), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return this;
    }

    ConfigFixture environment(String name, String value) {
        environment.put(name, value);
        return this;
    }

    ConfigFixture flag(String flag, String value) {
        flags.computeIfAbsent(flag, first -> new ArrayList<>()).add(value);
        return this;
    }

    ConfigFixture set(String setting) {
        return flag("--set", setting);
    }

    ConfigFixture hostName(Optional<String> named) {
        hostName = named;
        return this;
    }

    /** The default file, in a folder that is there. */
    Path path() {
        try {
            Files.createDirectories(file.getParent());
            return file;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    ConfigLoader loader() {
        try {
            Path kernel = root.resolve("proc/sys/kernel/hostname");
            Files.createDirectories(kernel.getParent());
            Files.deleteIfExists(kernel);
            if (hostName.isPresent()) {
                Files.writeString(kernel, hostName.get());
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return new ConfigLoader(environment, root);
    }

    LoadResult<AgentConfig> load(Optional<Path> named) {
        return loader().load(new ConfigSources(named, flags));
    }

    LoadResult<HostSide> loadHostSide(Optional<Path> named) {
        return loader().loadHostSide(new ConfigSources(named, flags));
    }

    AgentConfig config() {
        return config(load(Optional.empty()));
    }

    /** The faults as lines, the scratch file in them called {@code FILE}. */
    List<String> faults() {
        return faults(load(Optional.empty()));
    }

    List<String> faults(LoadResult<?> result) {
        return switch (result) {
            case LoadResult.LoadedConfig<?> loaded -> List.of();
            case LoadResult.FaultyConfig<?> faulty ->
                faulty.faults().stream()
                        .map(fault ->
                                fault.text().replace(file.toString(), "FILE").replace(root.toString(), ""))
                        .toList();
        };
    }

    /** The value of a key and where it came from, as text. */
    String valueOf(String path) {
        ConfigKey key = ConfigKeys.find(path).orElseThrow();
        AgentConfig config = config();
        return key.textIn(config).orElse("(not set)").replace(root.toString(), "") + " from "
                + config.values().origin(key).text().replace(file.toString(), "FILE");
    }

    /** All values as text, wherever they came from. */
    static List<String> texts(AgentConfig config) {
        return ConfigKeys.ALL.stream()
                .map(key -> key.path() + "=" + key.textIn(config).orElse("(not set)"))
                .toList();
    }

    static AgentConfig config(LoadResult<AgentConfig> result) {
        assertThat(result).isInstanceOf(LoadResult.LoadedConfig.class);
        return switch (result) {
            case LoadResult.LoadedConfig(AgentConfig config) -> config;
            case LoadResult.FaultyConfig<?> faulty ->
                throw new AssertionError(
                        faulty.faults().stream().map(ConfigFault::text).toList().toString());
        };
    }
}
