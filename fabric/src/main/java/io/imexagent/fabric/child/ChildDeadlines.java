package io.imexagent.fabric.child;

import java.time.Duration;

/** The time limits of a child: for its start, for cuInit, for each other call into libcuda, and for a whole request. */
public record ChildDeadlines(Duration start, Duration init, Duration call, Duration whole) {

    /**
     * The usual limits. Without persistence mode, cuInit wakes each GPU; no other call was measured above a
     * millisecond.
     */
    public static final ChildDeadlines USUAL = new ChildDeadlines(
            Duration.ofSeconds(20), Duration.ofSeconds(60), Duration.ofSeconds(10), Duration.ofMinutes(2));
}
