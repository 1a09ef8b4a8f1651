package io.imexagent.controller;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The ComputeDomains, by UID, for which the server took no template, since their namespace was being deleted. It is asked
 * again a minute later: one of several API servers may say that of a namespace that has been made again. Thread-safe.
 */
final class EndingNamespaces {

    private static final Duration AGAIN = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final Map<String, Long> refused = new ConcurrentHashMap<>();

    EndingNamespaces(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The server refused a template just now. */
    void refused(String uid) {
        refused.put(uid, nanoTime.getAsLong());
    }

    /** For how long the server is not asked; empty where it may be. */
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
