package io.imexagent.testing.api.access;

import com.fasterxml.jackson.databind.JsonNode;
import io.imexagent.testing.api.object.ObjectKey;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/**
 * What a kubelet may do (the Node authorizer with selector authorization, Kubernetes 1.34 and later). The answer is
 * empty where it may, else the reason why not, which may be an empty text.
 */
public final class NodeRules {
    /** The objects whose relations to nodes count. */
    public interface Objects {
        /** An object as it is now. */
        Optional<JsonNode> tree(ObjectKey key);

        /** All pods. */
        Stream<JsonNode> pods();
    }

    private static final String NO_RULE = "";

    private final Objects objects;

    NodeRules(Objects objects) {
        this.objects = objects;
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
                        demands(request, "metadata.name", node),
                        "node '" + node + "' cannot read all nodes, only its own Node object");
            // Whose Node it is, is for the admission that sees the object.
            case CREATE, UPDATE, PATCH, DELETE -> Optional.empty();
            case DELETECOLLECTION -> Optional.of(NO_RULE);
        };
    }

    private Optional<String> pods(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case GET, UPDATE, PATCH, DELETE -> related(node, request, this::onNode);
            case LIST, WATCH ->
                unless(
                        demands(request, "spec.nodeName", node),
                        "can only list/watch pods with spec.nodeName field selector");
            case CREATE, DELETECOLLECTION -> Optional.of(NO_RULE);
        };
    }

    private Optional<String> claims(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case GET -> related(node, request, this::used);
            case LIST, WATCH, CREATE, UPDATE, PATCH, DELETE, DELETECOLLECTION ->
                Optional.of("can only get individual resources of this type");
        };
    }

    private Optional<String> slices(String node, ResourceRequest request) {
        return switch (request.verb()) {
            case CREATE -> Optional.empty();
            case GET, UPDATE, PATCH, DELETE -> related(node, request, this::onNode);
            case LIST, WATCH, DELETECOLLECTION ->
                unless(
                        demands(request, "spec.nodeName", node),
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

    private static Optional<String> related(
            String node, ResourceRequest request, BiPredicate<ObjectKey, String> relation) {
        ObjectKey key = new ObjectKey(request.type(), request.namespace(), request.name());
        return unless(relation.test(key, node), "no relationship found between node '" + node + "' and this object");
    }

    private boolean onNode(ObjectKey key, String node) {
        return objects.tree(key).filter(object -> nodeOf(object).equals(node)).isPresent();
    }

    /** Whether a pod on the node uses the claim. */
    private boolean used(ObjectKey claim, String node) {
        Optional<JsonNode> reserved =
                objects.tree(claim).map(object -> object.path("status").path("reservedFor"));
        return objects.pods()
                .filter(pod -> pod.at("/metadata/namespace").asText().equals(claim.namespace()))
                .filter(pod -> nodeOf(pod).equals(node))
                .anyMatch(pod -> reserved.filter(list -> reserves(list, pod)).isPresent() || names(pod, claim.name()));
    }

    private static String nodeOf(JsonNode object) {
        return object.path("spec").path("nodeName").asText("");
    }

    private static boolean reserves(JsonNode reservations, JsonNode pod) {
        String uid = pod.at("/metadata/uid").asText();
        return reservations
                .valueStream()
                .anyMatch(entry -> entry.path("resource").asText().equals("pods")
                        && entry.path("uid").asText().equals(uid));
    }

    private static boolean names(JsonNode pod, String claim) {
        return Stream.of(pod.at("/spec/resourceClaims"), pod.at("/status/resourceClaimStatuses"))
                .flatMap(JsonNode::valueStream)
                .anyMatch(entry -> entry.path("resourceClaimName").asText().equals(claim));
    }

    private static boolean demands(ResourceRequest request, String field, String node) {
        return request.fields().demanded(field).filter(node::equals).isPresent();
    }

    private static Optional<String> unless(boolean allowed, String reason) {
        return allowed ? Optional.empty() : Optional.of(reason);
    }
}
