package io.imexagent.dra.publish;

import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** How long to leave the API server alone after failures: 0.5 s, doubled with each, at most 30 s, spread by a half. */
public final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int MOST_DOUBLINGS = 6;

    private final DoubleSupplier random;
    private int failures;

    /** A back-off that spreads by random numbers in 0 … 1, so that many nodes do not come back at one moment. */
    public Backoff(DoubleSupplier random) {
        this.random = random;
    }

    public Duration after(ApiFailure failure) {
        Duration step = FIRST.multipliedBy(1L << Math.min(failures, MOST_DOUBLINGS));
        failures++;
        Duration bounded = step.compareTo(LONGEST) < 0 ? step : LONGEST;
        Duration spread = Duration.ofMillis((long) (bounded.toMillis() * (1 - random.getAsDouble() / 2)));
        return failure.retryAfter()
                .filter(asked -> asked.compareTo(spread) > 0)
                .map(asked -> asked.compareTo(LONGEST) < 0 ? asked : LONGEST)
                .orElse(spread);
    }

    public void succeeded() {
        failures = 0;
    }
}
