package io.imexagent.imex.prepare;

import io.imexagent.core.policy.Isolation;
import io.imexagent.core.setting.NamedChoice;

/** Which claims may hold one channel of a node at the same time ({@code imex.sharing}). */
public enum Sharing implements NamedChoice {
    /** One claim per channel and node: a workload has at most one pod on a node. */
    NONE,
    /** All claims of one ComputeDomain: several of its pods may run on a node. */
    DOMAIN;

    /**
     * The default: off if all workloads use channel 0, since the scheduler cannot distinguish them; on if each workload
     * has its own channel.
     */
    public static Sharing defaultFor(Isolation isolation) {
        return isolation == Isolation.IMEX_CHANNEL ? DOMAIN : NONE;
    }
}
