package io.imexagent.kubernetes;

import java.time.Duration;
import java.util.Optional;

/** Is called after every call to the API server, for metrics. Called on the caller's thread: it must not block. */
@FunctionalInterface
public interface ApiObserver {

    /** An observer that does nothing. */
    ApiObserver NONE = (verb, resource, failure, took) -> {};

    /**
     * A call ended.
     *
     * @param verb the API verb: {@code get}, {@code list}, {@code watch}, {@code create}, {@code update}, {@code patch}
     *     or {@code delete}
     * @param resource the resource in plural with its API group, such as {@code resourceclaims.resource.k8s.io}; for
     *     paths that are no resource, the path
     * @param failure why the server did not do it; empty where it did
     * @param took from the call to the end of the answer; of a watch, to its beginning
     */
    void called(String verb, String resource, Optional<ApiFailure.Kind> failure, Duration took);
}
