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

    /** A longer task hangs on the disk: writing a claim takes milliseconds, waiting for a lock at most 10 s. */
    static final Duration STUCK = Duration.ofSeconds(60);

    /** The number of missed readings of the inventory after which its reader counts as hanging. */
    private static final int MISSED = 4;

    private Liveness() {}

    /** Whether a worker's task does not hang. */
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

    /** Whether the node is read at its interval; {@code age} is the time since the last reading. */
    static Condition ofReadings(Duration age, Duration interval, int findings) {
        boolean fresh = age.compareTo(interval.multipliedBy(MISSED).plus(STUCK)) < 0;
        return new Condition("inventory", fresh, "read " + age.toSeconds() + " s ago, " + findings + " findings");
    }

    /** Names the unreadable watched objects. Always holds, so that no user can stop an agent with such an object. */
    static Condition ofObjects(Map<String, UnreadObjects> unread) {
        String detail = unread.entrySet().stream()
                .map(objects -> objects.getValue().count() + " of " + objects.getKey() + " cannot be read: "
                        + objects.getValue())
                .collect(Collectors.joining("; "));
        return new Condition("objects", true, detail.isEmpty() ? "all can be read" : detail);
    }
}
