package io.imexagent.controller.plan;

import io.imexagent.core.policy.Isolation;
import java.time.Duration;

/**
 * What the operator decided.
 *
 * @param isolation how workloads are kept apart: {@code NONE} or {@code IMEX_CHANNEL}
 * @param channels N: channels 1 … N−1 are handed out; at most the driver's ImexChannelCount
 * @param quarantine how long a channel rests between two ComputeDomains
 */
public record ControllerPolicy(Isolation isolation, int channels, Duration quarantine) {

    /** Whether each ComputeDomain has a channel of its own. */
    boolean isolating() {
        return isolation == Isolation.IMEX_CHANNEL;
    }
}
