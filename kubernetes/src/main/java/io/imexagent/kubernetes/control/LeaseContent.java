package io.imexagent.kubernetes.control;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * What a Lease says.
 *
 * @param holder who holds it; empty where nobody does
 * @param acquired since when
 * @param renewed when the holder last confirmed it
 * @param duration how long the holder's word is good, in whole seconds
 * @param transitions how often the holder changed
 * @param labels its labels
 * @param annotations its annotations
 */
public record LeaseContent(
        Optional<String> holder,
        Optional<Instant> acquired,
        Optional<Instant> renewed,
        Optional<Duration> duration,
        int transitions,
        Map<String, String> labels,
        Map<String, String> annotations) {

    /** Copies labels and annotations in. */
    public LeaseContent {
        labels = Map.copyOf(labels);
        annotations = Map.copyOf(annotations);
    }
}
