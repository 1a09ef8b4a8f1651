package io.imexagent.testing.api.access;

import io.imexagent.testing.api.object.ResourceType;
import java.util.Optional;
import java.util.Set;

/**
 * A rule of a role that is bound to somebody. As with the real server it says nothing of what it does not name: a rule for
 * a resource does not hold for its {@code status}, and one of a Role not outside its namespace.
 *
 * @param subject a user or a group
 * @param type the resource
 * @param subresource empty for the resource itself, or {@code status}
 * @param namespace where it may be done; empty for everywhere
 * @param verbs what may be done
 */
public record RoleGrant(
        String subject, ResourceType type, String subresource, Optional<String> namespace, Set<RequestVerb> verbs) {
    public RoleGrant {
        verbs = Set.copyOf(verbs);
    }

    /** get, list and watch, in every namespace. */
    public static RoleGrant reading(String subject, ResourceType type) {
        return new RoleGrant(
                subject, type, "", Optional.empty(), Set.of(RequestVerb.GET, RequestVerb.LIST, RequestVerb.WATCH));
    }

    boolean allows(UserIdentity identity, ResourceRequest request) {
        return identity.is(subject)
                && type == request.type()
                && subresource.equals(request.subresource())
                && namespace.map(request.namespace()::equals).orElse(true)
                && verbs.contains(request.verb());
    }
}
