package io.imexagent.rdma.watch;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/** The state of the topology file for NCCL that the settings name. */
public sealed interface TopologyFile {

    /** The settings name no file. */
    record NoTopology() implements TopologyFile {}

    /** The file exists at this path of the host. */
    record TopologyFound(String path) implements TopologyFile {}

    /** The path cannot be mounted; the reason is a clause. */
    record TopologyUnusable(String path, String reason) implements TopologyFile {}

    /** Looks for the file on the host. */
    static TopologyFile read(HostFiles files, RdmaSettings settings) {
        return settings.topologyFile()
                .map(Object::toString)
                .map(path -> read(files, path))
                .orElseGet(NoTopology::new);
    }

    private static TopologyFile read(HostFiles files, String path) {
        try {
            return files.value(path.substring(1)).isEmpty()
                    ? new TopologyUnusable(path, "it is empty")
                    : new TopologyFound(path);
        } catch (NoSuchFileException missing) {
            return new TopologyUnusable(path, "it is missing");
        } catch (IOException failure) {
            return new TopologyUnusable(path, String.valueOf(failure.getMessage()));
        }
    }

    /** The path if containers can have the file; otherwise empty. */
    default Optional<String> usable() {
        return this instanceof TopologyFound(String path) ? Optional.of(path) : Optional.empty();
    }

    /** The finding that no container gets the configured file; empty if containers get it. */
    default Optional<Finding> finding() {
        return this instanceof TopologyUnusable(String path, String reason)
                ? Optional.of(Finding.warning(
                        "rdma-topology-file",
                        "claims get no NCCL_TOPO_FILE, and NCCL discovers by itself: rdma.topologyFile names " + path
                                + ", and " + reason,
                        "put the file there on this host, readable for the agent, or unset rdma.topologyFile"))
                : Optional.empty();
    }
}
