package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Verb;
import java.util.function.Predicate;

/**
 * Which requests a fault meets. A resource is a plural, followed by {@code /status} for the status endpoint; discovery has
 * the verb get and the resource "".
 */
public record FaultMatch(Predicate<LoggedRequest> which) {
    /** Every request, discovery included. */
    public static FaultMatch any() {
        return new FaultMatch(request -> true);
    }

    /** Requests with this verb for this resource, given as its plural. */
    public static FaultMatch of(Verb verb, String resource) {
        return new FaultMatch(request ->
                request.verb().equals(verb.text()) && request.resource().equals(resource));
    }

    /** The same, but only for the object of that name. */
    public FaultMatch named(String objectName) {
        return new FaultMatch(which.and(request -> request.name().equals(objectName)));
    }

    /** The same, but only from that user. */
    public FaultMatch from(String userName) {
        return new FaultMatch(which.and(request -> request.user().equals(userName)));
    }

    boolean matches(LoggedRequest request) {
        return which.test(request);
    }
}
