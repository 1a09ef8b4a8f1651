package io.imexagent.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reviews of the identity and the rights of others, and of the rights of this client. Reviews of others need {@code
 * create} on TokenReviews and SubjectAccessReviews, which the ClusterRole {@code system:auth-delegator} grants, and the
 * Node authorizer grants to each kubelet. Calls block: make them on a virtual thread.
 */
public interface Reviews {

    /** Finds the user of a bearer token (TokenReview); empty if it belongs to no user. */
    Optional<User> owner(String token) throws ApiException;

    /** Checks whether a user may {@code get} a non-resource path (SubjectAccessReview). */
    boolean mayGet(User user, String path) throws ApiException;

    /**
     * Checks what this client's identity may do (SelfSubjectAccessReview). Every authenticated user may check this; it
     * changes nothing.
     */
    ReviewResult may(AccessRule rule) throws ApiException;

    /** A user. The UID is empty if the server has none; authorizers may use {@code extra}. */
    record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {

        public User {
            groups = List.copyOf(groups);
            extra = Map.copyOf(extra);
        }
    }

    /**
     * An action on a resource, with verb and group as in RBAC rules. It may be limited to one namespace (otherwise all
     * namespaces, or a cluster-scoped resource), to one object by its name, and by field selector to the objects of one
     * node.
     */
    record AccessRule(
            String verb,
            String group,
            String resource,
            Optional<String> namespace,
            Optional<String> name,
            Optional<String> ofNode) {

        /** Creates a rule for all objects of a resource. */
        public static AccessRule on(String verb, String group, String resource) {
            return new AccessRule(verb, group, resource, Optional.empty(), Optional.empty(), Optional.empty());
        }

        public AccessRule in(String space) {
            return new AccessRule(verb, group, resource, Optional.of(space), name, ofNode);
        }

        public AccessRule named(String object) {
            return new AccessRule(verb, group, resource, namespace, Optional.of(object), ofNode);
        }

        /** Limits the rule to objects whose {@code spec.nodeName} is this node. */
        public AccessRule ofNode(String node) {
            return new AccessRule(verb, group, resource, namespace, name, Optional.of(node));
        }

        /**
         * The rule in messages: {@code list resourceslices.resource.k8s.io}, {@code create events in namespace
         * default}.
         */
        public String text() {
            return verb + " " + resource + (group.isEmpty() ? "" : "." + group)
                    + namespace.map(space -> " in namespace " + space).orElse("");
        }
    }

    sealed interface ReviewResult {

        record Allowed() implements ReviewResult {}

        /** The identity may do it to objects of its own node: the Node authorizer decides for each object. */
        record AllowedOfOwnNode() implements ReviewResult {}

        /** The identity may not do it; the reason is the server's, and may be empty. */
        record Denied(String reason) implements ReviewResult {}
    }
}
