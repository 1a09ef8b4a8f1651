package io.imexagent.kubernetes.client;

import java.time.Duration;
import java.util.Optional;

/** A complete HTTP response. */
final class Reply {

    private final int code;
    private final Optional<Duration> retryAfter;
    private final byte[] body;

    Reply(int code, Optional<Duration> retryAfter, byte[] body) {
        this.code = code;
        this.retryAfter = retryAfter;
        this.body = body;
    }

    /** The HTTP code. */
    int code() {
        return code;
    }

    /** Its {@code Retry-After} in seconds; the API server gives no dates. */
    Optional<Duration> retryAfter() {
        return retryAfter;
    }

    /** The body; not copied, for it is on the way of every prepare. */
    byte[] body() {
        return body;
    }

    /** Whether the server did what it was asked. */
    boolean successful() {
        return code >= 200 && code < 300;
    }
}
