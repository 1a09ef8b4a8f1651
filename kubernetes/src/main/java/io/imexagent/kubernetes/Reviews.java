package io.imexagent.kubernetes;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who others are, what they may do, and what this client's identity may do. The questions about others need {@code
 * create} on both reviews, which the ClusterRole {@code system:auth-delegator} grants, and the Node authorizer to each
 * kubelet. Calls block: make them on a virtual thread.
 */
public interface Reviews {

    /** Asks whose bearer token this is (TokenReview); empty where it is no user's. */
    Optional<User> owner(String token) throws ApiException;

    /** Asks whether a user may {@code get} a path that is no resource (SubjectAccessReview). */
    boolean mayGet(User user, String path) throws ApiException;

    /** Asks what this client's identity may do (SelfSubjectAccessReview). Every authenticated user may ask; nothing is done. */
    ReviewResult may(AccessRule rule) throws ApiException;

    /** A user. The UID is empty where the server has none; an authorizer may go by {@code extra}. */
    record User(String name, String uid, List<String> groups, Map<String, List<String>> extra) {

        public User {
            groups = List.copyOf(groups);
            extra = Map.copyOf(extra);
        }
    }

    /**
     * Something to be done to a resource, by the verb and the group as RBAC rules name them: in a namespace, or in all
     * and for what stands in none; to one object, or to any; to all, or to those whose field selector narrows them to
     * one node.
     */
    record AccessRule(
            String verb,
            String group,
            String resource,
            Optional<String> namespace,
            Optional<String> name,
            Optional<String> ofNode) {

        /** To any object, or to all of them. */
        public static AccessRule on(String verb, String group, String resource) {
            return new AccessRule(verb, group, resource, Optional.empty(), Optional.empty(), Optional.empty());
        }

        public AccessRule in(String space) {
            return new AccessRule(verb, group, resource, Optional.of(space), name, ofNode);
        }

        public AccessRule named(String object) {
            return new AccessRule(verb, group, resource, namespace, Optional.of(object), ofNode);
        }

        /** To the objects whose {@code spec.nodeName} is this node's. */
        public AccessRule ofNode(String node) {
            return new AccessRule(verb, group, resource, namespace, name, Optional.of(node));
        }

        /** The rule as messages name it, {@code list resourceslices.resource.k8s.io}, {@code create events in namespace default}. */
        public String text() {
            return verb + " " + resource + (group.isEmpty() ? "" : "." + group)
                    + namespace.map(space -> " in namespace " + space).orElse("");
        }
    }

    sealed interface ReviewResult {

        record Allowed() implements ReviewResult {}

        /** It may where the object is this node's: the Node authorizer decides for each object. */
        record AllowedOfOwnNode() implements ReviewResult {}

        /** It may not; the reason is the server's words, empty where it has none. */
        record Denied(String reason) implements ReviewResult {}
    }
}
