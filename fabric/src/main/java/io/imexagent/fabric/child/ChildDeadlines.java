package io.imexagent.fabric.child;

import java.time.Duration;

/** How long a child may take: to start, for cuInit, for each other call into libcuda, and for a whole request. */
public record ChildDeadlines(Duration start, Duration init, Duration call, Duration whole) {

    /** A driver without persistence wakes each GPU in cuInit; no other call was measured above a millisecond. */
    public static final ChildDeadlines USUAL = new ChildDeadlines(
            Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofMinutes(2));
}
