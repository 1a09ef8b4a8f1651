package io.imexagent.rdma.watch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How rails are published and handed out.
 *
 * @param taint whether a rail that is down stays published, with a taint; default false
 * @param settleAfter how long a change of a rail must last before it counts; default 30 s
 * @param topologyFile the topology file that NCCL is told of, where it is there; default none
 * @param runtime the program of the container runtime that would move an interface; default none, and none is moved
 */
public record RailSettings(boolean taint, Duration settleAfter, Optional<Path> topologyFile, Optional<Path> runtime) {

    /** The defaults. */
    public static final RailSettings STANDARD =
            new RailSettings(false, Duration.ofSeconds(30), Optional.empty(), Optional.empty());
}
