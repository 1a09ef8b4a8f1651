package io.imexagent.agent.prepare;

import java.time.Duration;

/**
 * Limits of prepare and unprepare.
 *
 * @param answerWithin how long a call may take, well under the kubelet's 45 s
 * @param apiPatience how long one look at the API server may take before it counts as failed
 * @param mostInFlight how many claims may be in preparation at a time, those that wait included
 */
public record PrepareSettings(Duration answerWithin, Duration apiPatience, int mostInFlight) {

    private static final Duration API_PATIENCE = Duration.ofSeconds(8);
    private static final int MOST_IN_FLIGHT = 1024;

    /** The usual limits, with this time for a call. */
    public static PrepareSettings answeringWithin(Duration answerWithin) {
        return new PrepareSettings(answerWithin, API_PATIENCE, MOST_IN_FLIGHT);
    }
}
