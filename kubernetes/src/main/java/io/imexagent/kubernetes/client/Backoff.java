package io.imexagent.kubernetes.client;

import io.imexagent.kubernetes.ApiFailure;
import java.time.Duration;
import java.util.function.DoubleSupplier;

/** How long to wait before the next try: from 100 ms, doubled at each failure, less up to a fifth by chance. */
final class Backoff {

    private static final Duration FIRST = Duration.ofMillis(100);

    /** While the server is away; short, because slices are to come back soon after it. */
    private static final Duration LONGEST = Duration.ofSeconds(10);

    /** While a person has to mend something. */
    private static final Duration LONGEST_REFUSED = Duration.ofSeconds(30);

    private final DoubleSupplier random;
    private int failures;

    /** A back-off; {@code random} gives numbers in 0 … 1. */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /** Begins anew: something worked. */
    void reset() {
        failures = 0;
    }

    /** The wait after this failure; never less than the server asked for, though at most five minutes. */
    Duration after(ApiFailure failure) {
        Duration longest = switch (failure.kind()) {
            case FORBIDDEN, UNAUTHORIZED, UNSUPPORTED, NOT_FOUND, INVALID -> LONGEST_REFUSED;
            case UNREACHABLE, TIMEOUT, NO_RELATIONSHIP, CONFLICT, GONE, THROTTLED, SERVER_ERROR, UNREADABLE -> LONGEST;
        };
        Duration doubled = FIRST.multipliedBy(1L << Math.min(failures++, 16));
        long capped = Math.min(doubled.toMillis(), longest.toMillis());
        Duration wait = Duration.ofMillis((long) (capped * (1 - random.getAsDouble() / 5)));
        Duration asked = failure.retryAfter().orElse(Duration.ZERO);
        Duration most = Duration.ofMinutes(5);
        Duration bounded = asked.compareTo(most) > 0 ? most : asked;
        return wait.compareTo(bounded) > 0 ? wait : bounded;
    }
}
