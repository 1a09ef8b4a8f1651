package io.imexagent.kubernetes;

import java.util.Optional;

/** What this client's identity may do. Calls block: make them on a virtual thread. */
public interface Permissions {

    /**
     * Asks the server (SelfSubjectAccessReview). Every authenticated user may ask; nothing is done.
     *
     * @throws ApiException where the server does not tell
     */
    Verdict may(Rule rule) throws ApiException;

    /**
     * Something to be done to a resource.
     *
     * @param verb as RBAC rules name it
     * @param group the API group; empty for the core group
     * @param namespace the namespace; empty for all of them, and for what stands in none
     * @param name one object; empty where it is done to any, or to a collection
     * @param ofNode the node to whose objects a field selector narrows it; empty for all
     */
    record Rule(
            String verb,
            String group,
            String resource,
            Optional<String> namespace,
            Optional<String> name,
            Optional<String> ofNode) {

        /** To any object, or to all of them. */
        public static Rule on(String verb, String group, String resource) {
            return new Rule(verb, group, resource, Optional.empty(), Optional.empty(), Optional.empty());
        }

        /** In this namespace. */
        public Rule in(String space) {
            return new Rule(verb, group, resource, Optional.of(space), name, ofNode);
        }

        /** To one object. */
        public Rule named(String object) {
            return new Rule(verb, group, resource, namespace, Optional.of(object), ofNode);
        }

        /** To the objects whose {@code spec.nodeName} is this node's. */
        public Rule ofNode(String node) {
            return new Rule(verb, group, resource, namespace, name, Optional.of(node));
        }

        /** The rule as messages name it, {@code list resourceslices.resource.k8s.io}, {@code create events in namespace default}. */
        public String text() {
            return verb + " " + resource + (group.isEmpty() ? "" : "." + group)
                    + namespace.map(space -> " in namespace " + space).orElse("");
        }
    }

    /** What the server says. */
    sealed interface Verdict {

        /** It may. */
        record Allowed() implements Verdict {}

        /**
         * It may where the object belongs to this node: the Node authorizer decides for each object, and knows of none
         * by the name that was asked for.
         */
        record AllowedOfOwnNode() implements Verdict {}

        /**
         * It may not.
         *
         * @param reason the server's words; empty where it has none
         */
        record Denied(String reason) implements Verdict {}
    }
}
