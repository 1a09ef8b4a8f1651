package io.imexagent.testing.api;

import java.time.Duration;
import java.util.OptionalInt;

/** What happens to a request instead of, or before, its answer. */
public sealed interface FaultAction {
    /**
     * It is answered with a Status.
     *
     * @param code an HTTP status code, such as 401, 403, 409, 410, 429, 500 or 503
     * @param retryAfterSeconds sent as Retry-After where present
     */
    record AnswerFault(int code, OptionalInt retryAfterSeconds) implements FaultAction {}

    /** It waits, then goes on. */
    record Delay(Duration time) implements FaultAction {}

    /** It waits until the fault is released, then goes on. */
    record Hang() implements FaultAction {}

    /** Its connection ends without an answer. */
    record Drop() implements FaultAction {}

    /** An answer with this code and no Retry-After. */
    static FaultAction answer(int code) {
        return new AnswerFault(code, OptionalInt.empty());
    }

    /** 429 with Retry-After. */
    static FaultAction tooManyRequests(int retryAfterSeconds) {
        return new AnswerFault(429, OptionalInt.of(retryAfterSeconds));
    }
}
