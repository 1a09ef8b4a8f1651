package io.imexagent.testkit.api.access;

import io.imexagent.testkit.api.object.ResourceType;
import java.util.Set;

/**
 * A role that is bound to somebody.
 *
 * @param subject a user or a group
 * @param type the resource, its subresources included
 * @param verbs what may be done to it, in every namespace
 */
public record Grant(String subject, ResourceType type, Set<Verb> verbs) {
    /** Copies the verbs. */
    public Grant {
        verbs = Set.copyOf(verbs);
    }

    /** get, list and watch. */
    public static Grant reading(String subject, ResourceType type) {
        return new Grant(subject, type, Set.of(Verb.GET, Verb.LIST, Verb.WATCH));
    }

    boolean allows(Identity identity, ResourceRequest request) {
        return identity.is(subject) && type == request.type() && verbs.contains(request.verb());
    }
}
