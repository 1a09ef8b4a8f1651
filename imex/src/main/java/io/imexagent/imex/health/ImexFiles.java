package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeIdentity;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of nvidia-imex's files, apart from their content, and the start of the daemon, which reads them only then.
 *
 * @param started the start of its main process by the clock of the host; empty if systemd does not report it
 * @param resolved the names of the file of nodes that DNS resolves to an address of this host
 */
public record ImexFiles(HostFile configuration, HostFile nodes, Optional<Instant> started, NodeIdentity resolved) {

    /** Creates the state of files without a lookup of names. */
    public ImexFiles(HostFile configuration, HostFile nodes, Optional<Instant> started) {
        this(configuration, nodes, started, NodeIdentity.NONE);
    }

    /** The tolerance for a file written right before a start, since systemd gives the start in whole seconds. */
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
