package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of nvidia-imex's files, apart from their content, and when the daemon started, which reads them only then.
 *
 * @param started when its main process started, by the clock of the host; empty where systemd does not say
 * @param resolved the names of the file of nodes that DNS gives an address of this host
 */
public record ImexFiles(HostFile configuration, HostFile nodes, Optional<Instant> started, NodeIdentity resolved) {

    /** Files of which no name was looked up. */
    public ImexFiles(HostFile configuration, HostFile nodes, Optional<Instant> started) {
        this(configuration, nodes, started, NodeIdentity.NONE);
    }

    /** systemd gives the time of a start in whole seconds; a file that is written right before it is no newer one. */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    /**
     * Whether the file was changed after the daemon started. A change in the future comes from a wrong clock and does
     * not count.
     */
    boolean isNewer(HostFile file, Instant now) {
        return file instanceof HostFile.ReadFile read
                && started.filter(start -> read.changed().isAfter(start.plus(TOLERANCE)))
                        .isPresent()
                && !read.changed().isAfter(now);
    }
}
