package io.imexagent.agent.runtime;

import io.imexagent.core.check.Condition;
import io.imexagent.kubernetes.UnreadObjects;
import io.imexagent.worker.Worker;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Whether parts of the agent make progress, for {@code /healthz} and the watchdog of systemd. */
final class Liveness {

    /** Writing a claim takes milliseconds, and a lock is waited for 10 s; a task that runs longer hangs on the disk. */
    static final Duration STUCK = Duration.ofSeconds(60);

    /** The inventory is read at an interval; several missed ones mean that its reader hangs. */
    private static final int MISSED = 4;

    private Liveness() {}

    /** Whether a worker's task ends at all. */
    static Condition of(Worker worker) {
        Optional<Duration> busy = worker.busyFor();
        boolean moving = busy.isEmpty() || busy.get().compareTo(STUCK) < 0;
        return new Condition(
                "worker-" + worker.name(),
                moving,
                moving
                        ? worker.waiting() + " tasks wait"
                        : "a task runs for " + busy.get().toSeconds() + " s");
    }

    /** Whether the node, read so long ago with so many findings, is read at its interval. */
    static Condition ofReadings(Duration age, Duration interval, int findings) {
        boolean fresh = age.compareTo(interval.multipliedBy(MISSED).plus(STUCK)) < 0;
        return new Condition("inventory", fresh, "read " + age.toSeconds() + " s ago, " + findings + " findings");
    }

    /** Which watched objects cannot be read. It always holds: a user who may create such objects must not be able to stop an agent with one. */
    static Condition ofObjects(Map<String, UnreadObjects> unread) {
        String detail = unread.entrySet().stream()
                .map(objects -> objects.getValue().count() + " of " + objects.getKey() + " cannot be read: "
                        + objects.getValue())
                .collect(Collectors.joining("; "));
        return new Condition("objects", true, detail.isEmpty() ? "all can be read" : detail);
    }
}
