package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** Observes every call to the API server, for metrics. It runs on the caller's thread and must not block. */
@FunctionalInterface
public interface ApiObserver {

    /** An observer that does nothing. */
    ApiObserver NONE = (verb, resource, failure, took) -> {};

    /**
     * Reports that a call ended: its verb, such as {@code get} or {@code watch}; its resource with the API group,
     * {@code resourceclaims.resource.k8s.io}, or the path if it has no resource; the kind of failure, if it failed; and
     * the time until the response ended, or until it began for a watch.
     */
    void called(String verb, String resource, Optional<ApiFailure.FailureKind> failure, Duration took);
}
