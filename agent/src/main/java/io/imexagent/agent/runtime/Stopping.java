package io.imexagent.agent.runtime;

import io.imexagent.dra.worker.Deadline;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops a part, and goes on without it where it hangs: the process ends by the deadline, whatever a disk does. */
final class Stopping {

    private static final int FRAMES_TOLD = 6;
    private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);

    private final Part part;

    Stopping(Part part) {
        this.part = part;
    }

    /** Stops the part; whether it was in time. */
    boolean by(Deadline deadline) throws InterruptedException {
        Thread stop = Thread.ofPlatform().name("stop").daemon().start(() -> stop(deadline));
        // At least a moment: a join of no time would wait for ever.
        if (stop.join(deadline.left().plus(Duration.ofMillis(1)))) {
            return true;
        }
        LOG.error(
                "the agent did not stop in order and is ended; the next start recovers what was begun at=\"{}\"",
                Arrays.stream(stop.getStackTrace())
                        .limit(FRAMES_TOLD)
                        .map(StackTraceElement::toString)
                        .collect(Collectors.joining(" < ")));
        return false;
    }

    private void stop(Deadline deadline) {
        try {
            part.stop(deadline);
        } catch (InterruptedException nobody) {
            Thread.currentThread().interrupt();
        }
    }
}
