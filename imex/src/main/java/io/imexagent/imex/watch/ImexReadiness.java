package io.imexagent.imex.watch;

import io.imexagent.core.refusal.Refusal;
import io.imexagent.core.refusal.RefusalCode;
import io.imexagent.imex.health.ImexHealth;
import java.util.Optional;

/** Whether nvidia-imex lets claims be prepared, where the operator wants prepare to wait for it. Pure. */
public final class ImexReadiness {

    private ImexReadiness() {}

    /** Why a new claim is not prepared; empty where it may be. */
    public static Optional<Refusal> of(ImexSource source) {
        if (!source.watched()) {
            return Optional.empty();
        }
        return source.current()
                .map(ImexReadiness::of)
                .orElseGet(() -> Optional.of(refusal("nvidia-imex has not been read yet")));
    }

    private static Optional<Refusal> of(ImexHealth health) {
        return switch (health.verdict().level()) {
            case UP, DEGRADED, NOT_APPLICABLE -> Optional.empty();
            case DOWN, UNKNOWN -> Optional.of(refusal(health.line()));
        };
    }

    private static Refusal refusal(String why) {
        return new Refusal(
                RefusalCode.IMEX_NOT_READY,
                "imex.health.gatePrepare holds claims back until nvidia-imex of this node is ready: " + why
                        + "; the claim is retried");
    }
}
