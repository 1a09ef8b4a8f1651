package io.imexagent.dra.claim;

import io.imexagent.core.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/** Takes refusals out of answers. */
public final class Refused {

    private Refused() {}

    /** The refusal in the answer. */
    public static Refusal of(@Nullable PrepareAnswer answer) {
        return switch (answer) {
            case null -> throw new AssertionError("no answer");
            case PrepareAnswer.Refused refused -> refused.refusal();
            case PrepareAnswer.Prepared prepared -> throw new AssertionError("prepared: " + prepared);
        };
    }

    /** The refusal in the answer. */
    public static Refusal of(@Nullable UnprepareAnswer answer) {
        return switch (answer) {
            case null -> throw new AssertionError("no answer");
            case UnprepareAnswer.Failed failed -> failed.refusal();
            case UnprepareAnswer.Done done -> throw new AssertionError("unprepared");
        };
    }
}
