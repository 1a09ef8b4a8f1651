package io.imexagent.kubernetes.control;

import io.imexagent.kubernetes.ApiException;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** The Leases of one namespace. Calls block: make them on a virtual thread. */
public interface Leases {

    /** Reads a Lease; empty where there is none. */
    Optional<Stored<LeaseContent>> get(String name) throws ApiException;

    /**
     * Makes a Lease.
     *
     * @throws ApiException with kind {@code CONFLICT} where there is one of that name: of all who try at a time, one
     *     succeeds
     */
    Stored<LeaseContent> create(String name, LeaseContent content) throws ApiException;

    /**
     * Replaces a Lease that is unchanged since it was observed.
     *
     * @throws ApiException with kind {@code CONFLICT} where it has changed, {@code NOT_FOUND} where it is gone
     */
    Stored<LeaseContent> replace(Stored<LeaseContent> observed, LeaseContent content) throws ApiException;

    /**
     * What a Lease says.
     *
     * @param holder who holds it; empty where it is free
     * @param acquired since when
     * @param renewed when the holder last confirmed it
     * @param duration how long the holder's word is good, in whole seconds
     * @param transitions how often the holder changed
     */
    record LeaseContent(
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
}
