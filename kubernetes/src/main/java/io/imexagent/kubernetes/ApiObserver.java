package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** Is called after every call to the API server, for metrics. Called on the caller's thread: it must not block. */
@FunctionalInterface
public interface ApiObserver {

    /** An observer that does nothing. */
    ApiObserver NONE = (verb, resource, failure, took) -> {};

    /**
     * A call ended: its verb, such as {@code get} or {@code watch}; its resource with the API group, {@code
     * resourceclaims.resource.k8s.io}, or the path of what is none; why the server did not do it; and the time to the
     * end of the answer, of a watch to its beginning.
     */
    void called(String verb, String resource, Optional<ApiFailure.FailureKind> failure, Duration took);
}
