package io.imexagent.controller.plan;

import io.imexagent.core.policy.Isolation;
import java.time.Duration;

/**
 * What the operator decided.
 *
 * @param isolation how workloads are kept apart: {@code NONE} or {@code IMEX_CHANNEL}
 * @param channels N: agents bind channels 1 … N−1 at most; for reports
 * @param lostNodeAfter how long a Node must be missing, and its agent silent, until nothing of it is believed to run
 */
public record ControllerPolicy(Isolation isolation, int channels, Duration lostNodeAfter) {

    /** Whether each ComputeDomain has channels of its own. */
    public boolean isolating() {
        return isolation == Isolation.IMEX_CHANNEL;
    }
}
