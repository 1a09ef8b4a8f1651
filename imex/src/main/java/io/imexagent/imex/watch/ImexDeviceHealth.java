package io.imexagent.imex.watch;

import io.imexagent.imex.health.ImexHealth;

/** What nvidia-imex means for the node's channels: they are worth as much as the domain that they lead to. Pure. */
public final class ImexDeviceHealth {

    private ImexDeviceHealth() {}

    /** The health of every channel of the node, as far as nvidia-imex decides it. */
    public static Health of(ImexSource source) {
        if (!source.watched()) {
            return new Health.Healthy();
        }
        return source.current()
                .map(ImexDeviceHealth::of)
                .orElseGet(() -> new Health.Unknown("nvidia-imex has not been looked at yet"));
    }

    private static Health of(ImexHealth health) {
        return switch (health.verdict().level()) {
            case UP -> new Health.Healthy();
            case DEGRADED -> new Health.Degraded(health.line());
            case DOWN -> new Health.Unhealthy(health.line());
            case UNKNOWN -> new Health.Unknown(health.line());
            // The inventory says what is wrong with a node on which it is served and not applicable.
            case NOT_APPLICABLE -> new Health.Healthy();
        };
    }
}
