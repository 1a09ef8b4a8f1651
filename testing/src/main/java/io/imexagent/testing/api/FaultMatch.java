package io.imexagent.testing.api;

import io.imexagent.testing.api.access.Verb;
import java.util.Optional;

/**
 * Which requests a fault meets; an empty part matches all. The resource is a plural, followed by {@code /status} for
 * the status endpoint. Discovery has the verb get and the resource "".
 */
public record FaultMatch(Optional<Verb> verb, Optional<String> resource, Optional<String> name, Optional<String> user) {

    /** Every request, discovery included. */
    public static FaultMatch any() {
        return new FaultMatch(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Requests with this verb for this resource, given as its plural. */
    public static FaultMatch of(Verb verb, String resource) {
        return new FaultMatch(Optional.of(verb), Optional.of(resource), Optional.empty(), Optional.empty());
    }

    /** The same, but only for the object of that name. */
    public FaultMatch named(String objectName) {
        return new FaultMatch(verb, resource, Optional.of(objectName), user);
    }

    /** The same, but only from that user. */
    public FaultMatch from(String userName) {
        return new FaultMatch(verb, resource, name, Optional.of(userName));
    }

    boolean matches(LoggedRequest request) {
        return verb.map(v -> v.text().equals(request.verb())).orElse(true)
                && resource.map(r -> r.equals(request.resource())).orElse(true)
                && name.map(n -> n.equals(request.name())).orElse(true)
                && user.map(u -> u.equals(request.user())).orElse(true);
    }
}
