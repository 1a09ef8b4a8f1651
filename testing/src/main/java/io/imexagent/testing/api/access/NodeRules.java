package io.imexagent.testing.api.access;

import io.imexagent.testing.api.object.ObjectKey;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What a kubelet may do (the Node authorizer with selector authorization, Kubernetes 1.34 and later). The answer is
 * empty where it may, else the reason why not, which may be an empty text.
 */
final class NodeRules {
    private static final String NO_RULE = "";

    private final NodeRelations relations;

    NodeRules(NodeRelations relations) {
        this.relations = relations;
    }

    Optional<String> objection(String node, ResourceRequest request) {
        return switch (request.type()) {
            case NODES -> nodes(node, request);
            case PODS -> pods(node, request);
            case RESOURCE_CLAIMS -> claims(node, request);
            case RESOURCE_SLICES -> slices(node, request);
            case LEASES -> leases(node, request);
            case EVENTS ->
                switch (request.verb()) {
                    case CREATE, UPDATE, PATCH -> Optional.empty();
                    case GET, LIST, WATCH, DELETE, DELETECOLLECTION -> Optional.of(NO_RULE);
                };
            case NAMESPACES, RESOURCE_CLAIM_TEMPLATES, DEVICE_CLASSES, COMPUTE_DOMAINS, NVLINK_NODES, NVLINK_CLIQUES ->
                Optional.of(NO_RULE);
        };
    }

    private static Optional<String> nodes(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case GET ->
                unless(
                        request.name().equals(node),
                        "node '" + node + "' cannot read '" + request.name() + "', only its own Node object");
            case LIST, WATCH ->
                unless(
                        request.fields()
                                .demanded("metadata.name")
                                .filter(node::equals)
                                .isPresent(),
                        "node '" + node + "' cannot read all nodes, only its own Node object");
            // Whose Node it is, is for the admission that sees the object.
            case CREATE, UPDATE, PATCH, DELETE -> Optional.empty();
            case DELETECOLLECTION -> Optional.of(NO_RULE);
        };
    }

    private Optional<String> pods(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case GET, UPDATE, PATCH, DELETE -> related(node, request, key -> relations.podBelongsTo(key, node));
            case LIST, WATCH ->
                unless(
                        request.fields()
                                .demanded("spec.nodeName")
                                .filter(node::equals)
                                .isPresent(),
                        "can only list/watch pods with spec.nodeName field selector");
            case CREATE, DELETECOLLECTION -> Optional.of(NO_RULE);
        };
    }

    private Optional<String> claims(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case GET -> related(node, request, key -> relations.claimBelongsTo(key, node));
            case LIST, WATCH, CREATE, UPDATE, PATCH, DELETE, DELETECOLLECTION ->
                Optional.of("can only get individual resources of this type");
        };
    }

    private Optional<String> slices(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case CREATE -> Optional.empty();
            case GET, UPDATE, PATCH, DELETE -> related(node, request, key -> relations.sliceBelongsTo(key, node));
            case LIST, WATCH, DELETECOLLECTION ->
                unless(
                        request.fields()
                                .demanded("spec.nodeName")
                                .filter(node::equals)
                                .isPresent(),
                        "can only list/watch/deletecollection resourceslices with spec.nodeName field selector");
        };
    }

    private static Optional<String> leases(String node, ResourceRequest request) {
        if (!request.namespace().equals("kube-node-lease")) {
            return Optional.of("can only access leases in the \"kube-node-lease\" system namespace");
        }
        return switch (request.verb()) {
            case CREATE -> Optional.empty();
            case GET, UPDATE, PATCH, DELETE ->
                unless(
                        request.name().equals(node),
                        "can only access node lease with the same name as the requesting node");
            case LIST, WATCH, DELETECOLLECTION -> Optional.of(NO_RULE);
        };
    }

    private static Optional<String> related(String node, ResourceRequest request, Predicate<ObjectKey> relation) {
        ObjectKey key = new ObjectKey(request.type(), request.namespace(), request.name());
        return unless(relation.test(key), "no relationship found between node '" + node + "' and this object");
    }

    private static Optional<String> unless(boolean allowed, String reason) {
        return allowed ? Optional.empty() : Optional.of(reason);
    }
}
