package io.imexagent.dra.claim;

import io.imexagent.core.refusal.Refusal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Limits of prepare and unprepare: how long a call may take, well under the kubelet's 45 s; how long a claim that may
 * still succeed waits before the next try, unless something changes; how many claims may be in progress; and the gate,
 * which returns at each plan why no new claim may be prepared, or empty.
 */
public record PrepareSettings(
        Duration answerWithin, Duration firstPause, int mostInFlight, Supplier<Optional<Refusal>> gate) {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final int MOST_IN_FLIGHT = 1024;

    /** The share of a call's time that is kept for the answer, at most. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    public PrepareSettings gatedBy(Supplier<Optional<Refusal>> other) {
        return new PrepareSettings(answerWithin, firstPause, mostInFlight, other);
    }

    /** How long to work on a call whose deadline is this far away. */
    public Duration within(Duration remaining) {
        Duration margin = Collections.min(List.of(remaining.dividedBy(10), MARGIN));
        return Collections.min(List.of(remaining.minus(margin), answerWithin));
    }

    /** The next pause: twice as long, up to two seconds. */
    Duration pauseAfter(Duration pause) {
        return pause.compareTo(LONGEST_PAUSE) > 0
                ? pause
                : Collections.min(List.of(pause.multipliedBy(2), LONGEST_PAUSE));
    }

    /** The usual limits, with this time for a call. */
    public static PrepareSettings answeringWithin(Duration answerWithin) {
        return new PrepareSettings(answerWithin, FIRST_PAUSE, MOST_IN_FLIGHT, Optional::empty);
    }
}
