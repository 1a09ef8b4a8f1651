package io.imexagent.dra.recovery;

import io.imexagent.core.ledger.ClaimEntry;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;

/**
 * How often, and over which time, prepared claims were absent at the API server. Immutable, and reads no clock. A claim
 * that was prepared again since, with another status, is another entry, and so begins from nothing.
 *
 * @param claims the claims that were absent each time they were looked for
 */
record Absences(Map<ClaimEntry.Completed, Absence> claims) {

    /** One answer may be an API server that has just started, or a network that leads elsewhere. */
    static final int ENOUGH = 3;

    /** Longer than a roll-over of a control plane. */
    static final Duration LONG_ENOUGH = Duration.ofMinutes(30);

    /** Copies the map in. */
    Absences {
        claims = Map.copyOf(claims);
    }

    /** Nothing was looked for yet. */
    static Absences none() {
        return new Absences(Map.of());
    }

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

        boolean proves() {
            return sightings >= ENOUGH && time().compareTo(LONG_ENOUGH) >= 0;
        }
    }

    /** The claim was absent now. */
    Absences absent(ClaimEntry.Completed claim, long now) {
        var changed = new HashMap<>(claims);
        changed.merge(
                claim,
                new Absence(1, now, now),
                (before, once) -> new Absence(before.sightings() + 1, before.first(), now));
        return new Absences(changed);
    }

    /** The claim was there. */
    Absences without(ClaimEntry.Completed claim) {
        var changed = new HashMap<>(claims);
        changed.remove(claim);
        return new Absences(changed);
    }

    /** No other claims than these count. */
    Absences only(Collection<ClaimEntry.Completed> known) {
        var changed = new HashMap<>(claims);
        changed.keySet().retainAll(new HashSet<>(known));
        return new Absences(changed);
    }

    /** The absence that proves that the claim is gone; empty while there is none. */
    Optional<Absence> proof(ClaimEntry.Completed claim) {
        return Optional.ofNullable(claims.get(claim)).filter(Absence::proves);
    }
}
