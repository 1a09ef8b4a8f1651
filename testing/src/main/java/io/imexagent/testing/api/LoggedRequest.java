package io.imexagent.testing.api;

import io.imexagent.testing.api.access.RequestVerb;
import java.util.function.Predicate;

/**
 * A request as it arrived.
 *
 * @param verb get, list, watch, create, update, patch, delete, deletecollection; of other paths the method in lower case
 * @param resource the plural, with {@code /status} for the status endpoint; empty for other paths, such as discovery
 * @param namespace empty where there is none
 * @param name empty where there is none; of a create always
 * @param user empty where the credentials are missing or unknown
 */
public record LoggedRequest(String verb, String resource, String namespace, String name, String user) {
    /** Requests with this verb for this resource, to be met by a fault. */
    public static Predicate<LoggedRequest> of(RequestVerb verb, String resource) {
        return request -> request.verb.equals(verb.text()) && request.resource.equals(resource);
    }
}
