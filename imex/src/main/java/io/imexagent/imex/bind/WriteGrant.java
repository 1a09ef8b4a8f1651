package io.imexagent.imex.bind;

import io.imexagent.kubernetes.ApiException;
import java.time.Duration;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the cluster allows this node to write its object; checked until it does. Only one thread uses it. */
final class WriteGrant {

    /** The shortest time between checks, however often the node has something to write. */
    private static final Duration ASK_AGAIN = Duration.ofMinutes(10);

    private static final Logger LOG = LoggerFactory.getLogger(WriteGrant.class);

    private final HoldWriter.ApiCall<Boolean> question;
    private final LongSupplier nanoTime;
    private final DoubleSupplier random;
    private boolean granted;
    private int failures;
    private long checkedAt;
    private Duration pause = Duration.ZERO;

    WriteGrant(HoldWriter.ApiCall<Boolean> question, LongSupplier nanoTime, DoubleSupplier random) {
        this.question = question;
        this.nanoTime = nanoTime;
        this.random = random;
    }

    /** The pause before the next write or check; zero if the node may write. No answer counts as a refusal. */
    Duration refusedFor() {
        long now = nanoTime.getAsLong();
        Duration left = pause.minusNanos(now - checkedAt);
        if (granted || left.isPositive()) {
            return granted ? Duration.ZERO : left;
        }
        checkedAt = now;
        try {
            granted = question.make();
            failures = 0;
            pause = granted ? Duration.ZERO : ASK_AGAIN;
        } catch (ApiException e) {
            LOG.debug("cannot tell whether the NVLinkNode may be written error=\"{}\"", e.getMessage());
            pause = ObjectCalls.AWAY.after(++failures, e.failure().retryAfter(), random);
        }
        return pause;
    }
}
