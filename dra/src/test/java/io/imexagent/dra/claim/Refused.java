package io.imexagent.dra.claim;

import io.imexagent.core.refusal.Outcome;
import io.imexagent.core.refusal.Refusal;
import org.jspecify.annotations.Nullable;

/** Takes refusals out of answers. */
public final class Refused {

    private Refused() {}

    /** The refusal in the answer. */
    public static Refusal of(@Nullable Outcome<?> answer) {
        if (answer == null) {
            throw new AssertionError("no answer");
        }
        return answer.refusal().orElseThrow(() -> new AssertionError("not refused: " + answer));
    }
}
