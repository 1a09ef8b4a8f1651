package io.imexagent.dra.claim;

import io.imexagent.core.refusal.Refusal;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Limits of prepare and unprepare: how long a call may take, well under the kubelet's 45 s; how long a claim that may
 * still succeed waits before it is looked at again, unless something changes; how many claims may be in work; and the
 * gate, asked at each plan why no new claim may be prepared, empty where it may.
 */
public record PrepareSettings(
        Duration answerWithin, Duration firstPause, int mostInFlight, Supplier<Optional<Refusal>> gate) {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);
    private static final int MOST_IN_FLIGHT = 1024;

    /** What is left of a call's time for the way back, at most. */
    private static final Duration MARGIN = Duration.ofSeconds(1);

    public PrepareSettings gatedBy(Supplier<Optional<Refusal>> other) {
        return new PrepareSettings(answerWithin, firstPause, mostInFlight, other);
    }

    /** How long to work on a call that the kubelet gives up after this time. */
    public Duration within(Duration remaining) {
        Duration margin = Collections.min(List.of(remaining.dividedBy(10), MARGIN));
        return Collections.min(List.of(remaining.minus(margin), answerWithin));
    }

    /** The pause after this one: twice as long, up to two seconds. */
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
