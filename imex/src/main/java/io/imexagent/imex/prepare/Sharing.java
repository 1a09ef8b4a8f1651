package io.imexagent.imex.prepare;

import io.imexagent.core.policy.Isolation;
import java.util.Arrays;
import java.util.Optional;

/** Which claims may hold one channel of a node at the same time ({@code imex.sharing}). */
public enum Sharing {
    /** None: a channel has one holder on the node, so a workload has at most one pod there. */
    NONE("None", "one holder of a channel on a node"),
    /** Those of one ComputeDomain: several of its pods may run on the node. */
    DOMAIN("Domain", "claims of one ComputeDomain share its channel on a node");

    private final String text;
    private final String meaning;

    Sharing(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    /** The sharing of this name, exactly as {@link #text()} writes it. */
    public static Optional<Sharing> parse(String text) {
        return Arrays.stream(values())
                .filter(sharing -> sharing.text.equals(text))
                .findFirst();
    }

    /**
     * The sharing where the operator did not choose: off where all workloads have channel 0, since the scheduler could not
     * tell them apart there; on where each has a channel of its own.
     */
    public static Sharing standard(Isolation isolation) {
        return switch (isolation) {
            case NONE, IMEX_DOMAIN -> NONE;
            case IMEX_CHANNEL -> DOMAIN;
        };
    }

    /** The name in configuration files. */
    public String text() {
        return text;
    }

    /** What the sharing means, as a clause. */
    public String meaning() {
        return meaning;
    }
}
