package io.imexagent.agent.cli;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Why what is shown may be old, and since when: until there is no reason any more, whichever it is. */
public final class Staleness {

    private final InstantSource clock;
    private Optional<Instant> since = Optional.empty();

    public Staleness(InstantSource clock) {
        this.clock = clock;
    }

    /** The current reason, prefixed with the time it was first seen; empty if there is none. */
    public synchronized Optional<String> update(Optional<String> reason) {
        since = reason.flatMap(any -> since.or(() -> Optional.of(clock.instant().truncatedTo(ChronoUnit.SECONDS))));
        return reason.flatMap(why -> since.map(begin -> "since " + begin + ", " + why));
    }
}
