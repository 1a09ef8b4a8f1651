package io.imexagent.controller;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The ComputeDomains, by UID, whose template the server refused because their namespace was being deleted. The
 * controller tries again a minute later, since one of several API servers may still refuse for a namespace that was
 * created again. Thread-safe.
 */
final class EndingNamespaces {

    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final Map<String, Long> refused = new ConcurrentHashMap<>();

    EndingNamespaces(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Records that the server has just refused a template. */
    void refused(String uid) {
        refused.put(uid, nanoTime.getAsLong());
    }

    /** The remaining wait before the next try; empty if the next try is due. */
    Optional<Duration> wait(String uid) {
        return Optional.ofNullable(refused.get(uid))
                .map(at -> AGAIN.minusNanos(nanoTime.getAsLong() - at))
                .filter(Duration::isPositive);
    }

    void forget(String uid) {
        refused.remove(uid);
    }

    void forget() {
        refused.clear();
    }
}
