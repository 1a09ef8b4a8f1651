package io.imexagent.imex.prepare;

import io.imexagent.core.policy.Isolation;
import io.imexagent.core.setting.NamedChoice;

/** Which claims may hold one channel of a node at the same time ({@code imex.sharing}). */
public enum Sharing implements NamedChoice {
    /** None: a channel has one holder on the node, so a workload has at most one pod there. */
    NONE("None"),
    /** Those of one ComputeDomain: several of its pods may run on the node. */
    DOMAIN("Domain");

    private final String text;

    Sharing(String text) {
        this.text = text;
    }

    /**
     * The sharing where the operator did not choose: off where all workloads have channel 0, since the scheduler could not
     * tell them apart there; on where each has a channel of its own.
     */
    public static Sharing defaultFor(Isolation isolation) {
        return isolation == Isolation.IMEX_CHANNEL ? DOMAIN : NONE;
    }

    @Override
    public String text() {
        return text;
    }
}
