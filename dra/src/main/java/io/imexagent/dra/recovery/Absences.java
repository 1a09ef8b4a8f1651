package io.imexagent.dra.recovery;

import io.imexagent.core.ledger.ClaimEntry;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * How often, and over which time, prepared claims were absent at the API server; reads no clock. A claim that was prepared
 * again since, with another status, is another entry, and so begins from nothing. Safe for several threads.
 */
final class Absences {

    /** One answer may be an API server that has just started, or a network that leads elsewhere. */
    static final int ENOUGH = 3;

    /** Longer than a roll-over of a control plane. */
    static final Duration LONG_ENOUGH = Duration.ofMinutes(30);

    private final Map<ClaimEntry.Completed, Absence> claims = new ConcurrentHashMap<>();

    /**
     * The absence of one claim.
     *
     * @param sightings how often it was absent
     * @param first when it was for the first time, on the monotonic clock
     * @param last when it was for the last time
     */
    record Absence(int sightings, long first, long last) {

        Duration time() {
            return Duration.ofNanos(last - first);
        }
    }

    boolean isEmpty() {
        return claims.isEmpty();
    }

    /** The claim was absent now. */
    void absent(ClaimEntry.Completed claim, long now) {
        claims.merge(
                claim,
                new Absence(1, now, now),
                (before, once) -> new Absence(before.sightings() + 1, before.first(), now));
    }

    /** Only claims that this holds for still count. */
    void keep(Predicate<ClaimEntry.Completed> counted) {
        claims.keySet().removeIf(counted.negate());
    }

    /** The absence that proves that the claim is gone; empty while there is none. */
    Optional<Absence> proof(ClaimEntry.Completed claim) {
        return Optional.ofNullable(claims.get(claim))
                .filter(absence ->
                        absence.sightings() >= ENOUGH && absence.time().compareTo(LONG_ENOUGH) >= 0);
    }
}
