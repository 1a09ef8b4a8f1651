package io.imexagent.imex.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The files of nvidia-imex beside what they say, and since when the daemon runs, which reads them at its start only.
 *
 * @param started when its main process started, by the clock of the host; empty where systemd does not say
 */
public record ImexFiles(HostFile configuration, HostFile nodes, Optional<Instant> started) {

    /** systemd gives the time of a start in whole seconds; a file that is written right before it is no newer one. */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    /** Whether the daemon runs with an older file than this one; what lies in the future was written by a wrong clock. */
    boolean isNewer(HostFile file, Instant now) {
        return file instanceof HostFile.ReadFile read
                && started.filter(start -> read.changed().isAfter(start.plus(TOLERANCE)))
                        .isPresent()
                && !read.changed().isAfter(now);
    }
}
