package io.imexagent.agent.cli;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Why the displayed state may be old, and since when. The time stays if one reason replaces another. */
public final class Staleness {

    private final InstantSource clock;
    private Optional<Instant> since = Optional.empty();

    public Staleness(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns the current reason, prefixed with the time since which there is a reason; empty if there is none. */
    public synchronized Optional<String> update(Optional<String> reason) {
        since = reason.flatMap(any -> since.or(() -> Optional.of(clock.instant().truncatedTo(ChronoUnit.SECONDS))));
        return reason.flatMap(why -> since.map(begin -> "since " + begin + ", " + why));
    }
}
