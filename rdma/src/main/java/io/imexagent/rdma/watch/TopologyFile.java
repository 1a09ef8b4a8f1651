package io.imexagent.rdma.watch;

import io.imexagent.core.inventory.Finding;
import io.imexagent.rdma.probe.HostFiles;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;

/** The topology file for NCCL that the settings name, as the host has it. */
public sealed interface TopologyFile {

    /** The settings name none. */
    record NoTopology() implements TopologyFile {}

    /** It is at this path of the host. */
    record TopologyFound(String path) implements TopologyFile {}

    /** Nothing can be mounted from this path, for this reason (a clause). */
    record TopologyUnusable(String path, String reason) implements TopologyFile {}

    /** Looks for it on the host. */
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

    /** The path, where a container can have the file. */
    default Optional<String> usable() {
        return this instanceof TopologyFound(String path) ? Optional.of(path) : Optional.empty();
    }

    /** That the operator named a file which no container gets. */
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
