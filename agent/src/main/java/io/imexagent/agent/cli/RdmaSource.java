package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.rdma.dra.NetdevSupport;
import io.imexagent.rdma.watch.RdmaView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the RDMA side of the host once. */
public interface RdmaSource {

    /**
     * The RDMA side as it is now.
     *
     * @throws IOException where the list of RDMA devices cannot be read; the message says what to do
     */
    Reading read(AgentConfig config) throws IOException, InterruptedException;

    /** Whether interfaces can move into containers; empty where {@code rdma.runtime} names no runtime to ask. */
    Optional<NetdevSupport> netdev(AgentConfig config);

    /**
     * Writes a text into a file, whole or not at all.
     *
     * @throws IOException where it cannot be written; the message names the file
     */
    void write(Path file, String text) throws IOException;

    /**
     * What was read.
     *
     * @param view the RDMA side
     * @param facts the files that it was read from
     */
    record Reading(RdmaView view, Facts facts) {}

    /**
     * Files of sysfs and procfs as they answered, by paths below the host's root.
     *
     * @param texts files, with their texts
     * @param links links, with where they lead
     * @param folders folders, with the names in them
     * @param failures what could not be read, with the reason
     */
    record Facts(
            Map<String, String> texts,
            Map<String, String> links,
            Map<String, List<String>> folders,
            Map<String, String> failures) {}
}
